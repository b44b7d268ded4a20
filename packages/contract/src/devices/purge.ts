import { type Static, Type } from 'typebox';
import { closed } from '../input/closed.ts';
import { described } from '../input/described.ts';
import { checker } from '../input/schema.ts';
import { Timestamp } from '../time.ts';

/** `purge` also removes all records of the device. */
export const RemovalQuery = closed({ purge: Type.Optional(Type.Enum(['true', 'false'])) });

/** The removal of all records of a device. */
export const DevicePurge = closed({
  status: described(
    '`done` only in the event at its end; then the device is not found any more.',
    Type.Enum(['running', 'done']),
  ),
  rows_removed: Type.Integer({ minimum: 0 }),
  started_at: Timestamp,
});

export type DevicePurge = Static<typeof DevicePurge>;

export const checkRemovalQuery = checker(RemovalQuery);
