import { type Static, Type } from 'typebox';
import { OptionalActor } from '../audit.ts';
import { closed } from '../input/closed.ts';
import { described } from '../input/described.ts';
import { checker } from '../input/schema.ts';
import { line } from '../input/text-schemas.ts';
import { Timestamp } from '../time.ts';

const Reason = line(200);

/** A reason is needed to begin; `until` is the time at which the maintenance ends by itself. */
export const MaintenanceRequest = closed({
  on: Type.Boolean(),
  reason: Type.Optional(Reason),
  until: Type.Optional(Timestamp),
});

/** The maintenance that a person has declared, while it lasts. */
export const DeclaredMaintenance = closed({
  reason: Reason,
  since: Timestamp,
  until: described('`null` if it lasts until somebody ends it.', Type.Union([Timestamp, Type.Null()])),
  by: OptionalActor,
});

export type MaintenanceRequest = Static<typeof MaintenanceRequest>;
export type DeclaredMaintenance = Static<typeof DeclaredMaintenance>;

export const checkMaintenanceRequest = checker(MaintenanceRequest);
