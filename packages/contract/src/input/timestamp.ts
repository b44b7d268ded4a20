import { Type } from 'typebox';
import { Format } from 'typebox/format';
import { parseTime, TIME_MS_MAX } from '../time.ts';

// The schema library's own check accepts leap seconds and zone names, which do not parse.
Format.Set('date-time', (text) => parseTime(text) !== null);

/** A text that `parseTime` accepts; Granary itself always writes UTC ending in `Z`. */
export const Timestamp = Type.String({ format: 'date-time' });

/** The time by the device's clock: milliseconds since 1970, or as in `Timestamp`. */
export const DeviceTime = Type.Union([Type.Integer({ minimum: 0, maximum: TIME_MS_MAX }), Timestamp]);
export type DeviceTime = string | number;
