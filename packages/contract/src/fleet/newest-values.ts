import { type Static, Type } from 'typebox';
import { DEVICE_STATUSES } from '../devices/statuses.ts';
import { DEVICE_ID_LIST, DeviceId } from '../ids.ts';
import { closed } from '../input/closed.ts';
import { described } from '../input/described.ts';
import { List, withLists } from '../input/lists.ts';
import { type Checker, checker } from '../input/schema.ts';
import { line } from '../input/text-schemas.ts';
import { Timestamp } from '../time.ts';
import { FleetReadings } from './devices.ts';

/** Of a device what changes by itself; its name and place are in the lists of devices. */
export const DeviceValues = closed({
  device_id: DeviceId,
  status: Type.Enum(DEVICE_STATUSES),
  last_seen: Type.Union([Timestamp, Type.Null()]),
  readings: FleetReadings,
});

/** One message of the stream. */
export const NewestValues = closed({
  at: described('When the message was sent.', Timestamp),
  devices: described(
    'The present state of each device that has changed since the last message; the first messages hold every device.',
    Type.Array(DeviceValues),
  ),
});

/** Without filters a reader gets every device that its key may access. */
export const NewestValuesQuery = closed({
  device_id: Type.Optional(described('One or more device ids, separated by commas.', List)),
  facility: Type.Optional(line(200)),
});

export type DeviceValues = Static<typeof DeviceValues>;
export type NewestValues = Static<typeof NewestValues>;
export type NewestValuesQuery = Static<typeof NewestValuesQuery>;

export const checkNewestValuesQuery: Checker<NewestValuesQuery> = withLists(checker(NewestValuesQuery), [
  DEVICE_ID_LIST,
]);
