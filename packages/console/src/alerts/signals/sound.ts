const TONES_HZ = [880, 660, 880];
const TONE_S = 0.16;
const VOLUME = 0.2;

let context: AudioContext | undefined;

/** A browser lets a page sound only after the person has pressed something in it; until then nothing is heard. */
export function playAlarm(): void {
  context ??= new AudioContext();
  void context.resume();
  const volume = context.createGain();
  volume.gain.value = VOLUME;
  volume.connect(context.destination);
  TONES_HZ.forEach((hz, index) => {
    const tone = new OscillatorNode(volume.context, { frequency: hz });
    tone.connect(volume);
    const startS = volume.context.currentTime + index * TONE_S * 1.5;
    tone.start(startS);
    tone.stop(startS + TONE_S);
  });
}
