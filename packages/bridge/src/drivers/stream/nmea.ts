/**
 * Positions of NMEA 0183 receivers: the sentences GGA (position, height, satellites), RMC (date, position, speed, course) and
 * VTG (speed, course) of any talker. Sentences of the same second are one message.
 */
export interface NmeaMessage {
  /** The time in the form of RFC 3339, if a sentence of this second had the date. */
  time?: string;
  latitude?: number;
  longitude?: number;
  altitude?: number;
  /** The quality of the fix; 0 is no fix. Positions without a fix are left out. */
  fix?: number;
  satellites?: number;
  hdop?: number;
  speed_kn?: number;
  course?: number;
}

const SENTENCE = /^[$!]([A-Z0-9]{2,8})((?:,[^*,]*)*)\*([0-9A-Fa-f]{2})$/;
const SENTENCE_LENGTH_MAX = 120;

type Reader = (fields: readonly string[], message: NmeaMessage) => void;

const SENTENCES: Readonly<Record<string, Reader>> = {
  GGA: (fields, message) => {
    const fix = number(fields[5]);
    if (fix !== undefined) message.fix = fix;
    set(message, 'satellites', number(fields[6]));
    if (fix === undefined || fix === 0) return;
    setPosition(message, fields.slice(1, 5));
    set(message, 'hdop', number(fields[7]));
    if (fields[9] === 'M') set(message, 'altitude', number(fields[8]));
  },
  RMC: (fields, message) => {
    const time = dateTime(fields[8], fields[0]);
    if (time !== undefined) message.time = time;
    if (fields[1] !== 'A') return;
    setPosition(message, fields.slice(2, 6));
    set(message, 'speed_kn', number(fields[6]));
    set(message, 'course', number(fields[7]));
  },
  VTG: (fields, message) => {
    if (fields[1] === 'T') set(message, 'course', number(fields[0]));
    if (fields[5] === 'N') set(message, 'speed_kn', number(fields[4]));
  },
};

/** Returns the type and the fields of a sentence whose checksum is right; otherwise `null`. */
function readSentence(line: string): { readonly type: string; readonly fields: readonly string[] } | null {
  if (line.length > SENTENCE_LENGTH_MAX) return null;
  const [, head = '', tail = '', sum = ''] = SENTENCE.exec(line.trim()) ?? [];
  if (head === '') return null;
  let checksum = 0;
  for (const character of head + tail) checksum ^= character.charCodeAt(0);
  if (checksum !== Number.parseInt(sum, 16)) return null;
  return { type: head.slice(2), fields: tail.slice(1).split(',') };
}

/** Collects the sentences of one second and returns them as one message when the next second begins. */
export class NmeaReader {
  #message: NmeaMessage = {};
  #second: string | null = null;

  /** Returns `undefined` for a line that is no sentence, and `null` while no message is complete. */
  read(line: string): NmeaMessage | null | undefined {
    const sentence = readSentence(line);
    if (sentence === null) return undefined;
    const reader = Object.hasOwn(SENTENCES, sentence.type) ? SENTENCES[sentence.type] : undefined;
    if (reader === undefined) return null;
    const second = sentence.type === 'VTG' ? this.#second : (sentence.fields[0] ?? '');
    const complete = this.#second !== null && second !== this.#second ? this.#message : null;
    if (second !== this.#second) this.#message = {};
    this.#second = second;
    reader(sentence.fields, this.#message);
    return complete === null || Object.keys(complete).length === 0 ? null : complete;
  }
}

function set(message: NmeaMessage, key: Exclude<keyof NmeaMessage, 'time'>, value: number | undefined): void {
  if (value !== undefined) message[key] = value;
}

function setPosition(message: NmeaMessage, [lat, northSouth, lon, eastWest]: readonly string[]): void {
  const latitude = angle(lat, 2, northSouth, 'N', 'S');
  const longitude = angle(lon, 3, eastWest, 'E', 'W');
  if (latitude === undefined || longitude === undefined) return;
  message.latitude = latitude;
  message.longitude = longitude;
}

/** Parses degrees and minutes in one number: ddmm.mmmm. */
function angle(
  text: string | undefined,
  degreeDigits: number,
  side: string | undefined,
  positive: string,
  negative: string,
): number | undefined {
  if (text === undefined || (side !== positive && side !== negative)) return undefined;
  const minutes = number(text.slice(degreeDigits));
  const degrees = number(text.slice(0, degreeDigits));
  if (minutes === undefined || degrees === undefined || minutes >= 60) return undefined;
  return Number(((degrees + minutes / 60) * (side === positive ? 1 : -1)).toFixed(8));
}

const number = (text: string | undefined): number | undefined =>
  text !== undefined && /^-?[0-9]+(\.[0-9]*)?$/.test(text) ? Number(text) : undefined;

/** Parses ddmmyy and hhmmss.sss; receivers write years of this century. */
function dateTime(date: string | undefined, time: string | undefined): string | undefined {
  const [, day, month, year] = /^([0-9]{2})([0-9]{2})([0-9]{2})$/.exec(date ?? '') ?? [];
  const [, hour, minute, second] = /^([0-9]{2})([0-9]{2})([0-9]{2}(?:\.[0-9]{1,3})?)/.exec(time ?? '') ?? [];
  if (day === undefined || hour === undefined) return undefined;
  const text = `20${year}-${month}-${day}T${hour}:${minute}:${second}Z`;
  return Number.isNaN(Date.parse(text)) ? undefined : text;
}
