import { useConsole } from '../context/console.ts';
import { texts } from '../texts.ts';
import { playAlarm } from './alert-signals.ts';
import './sound-switch.css';

/** Switches the sound, which is off unless the person wants it. Switching it on plays it once. */
export function SoundSwitch() {
  const { preferences } = useConsole();
  return (
    <label class="sound-switch">
      <input
        type="checkbox"
        checked={preferences.hasSound.value}
        onChange={({ currentTarget }) => {
          preferences.hasSound.value = currentTarget.checked;
          if (currentTarget.checked) playAlarm();
        }}
      />
      {texts.value.alerts.sound}
    </label>
  );
}
