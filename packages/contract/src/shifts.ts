import { type Static, type TSchema, Type } from 'typebox';
import { RaisedAlerts } from './alert-statistics.ts';
import { AuditEntry, OptionalActor } from './audit.ts';
import { PageQuery } from './envelope.ts';
import { FleetAlert, FleetCommand, FleetMission, FleetOperation } from './fleet.ts';
import { ForecastSummary } from './foresight/forecasts.ts';
import { DeviceId } from './ids.ts';
import { type Checker, checker, closed, described } from './input/schema.ts';
import { line, noteNotEmpty, TimeZoneName } from './input/text-schemas.ts';
import { Timestamp } from './input/timestamp.ts';
import { issueOf } from './input/validation-issues.ts';
import { TimeOfDay } from './notifications.ts';
import { sentence } from './sentences/codes.ts';
import { DAY_MS } from './time.ts';

const Text = noteNotEmpty(2_000);
const DeviceIdOrNull = Type.Union([DeviceId, Type.Null()]);

/** A note of a person about a device or a facility, at a time. */
export const Note = closed({
  note_id: Type.String(),
  device_id: described('`null` for a note on the whole facility.', DeviceIdOrNull),
  facility: described('That of the device, as it is now, for a note on a device.', Type.String()),
  at: described('The time that the note is about.', Timestamp),
  text: Text,
  created_at: Timestamp,
  created_by: OptionalActor,
});

/** A note is about either a device or a facility. */
export const NewNote = closed({
  device_id: Type.Optional(DeviceId),
  facility: Type.Optional(line(200)),
  at: Type.Optional(described('The time that the note is about; now when not given.', Timestamp)),
  text: Text,
});

const NoteQuery = closed({
  ...PageQuery.properties,
  device_id: Type.Optional(DeviceId),
  facility: Type.Optional(described('Also those on the devices of the facility.', line(200))),
  from: Type.Optional(Timestamp),
  to: Type.Optional(described('Not included.', Timestamp)),
});

export type Note = Static<typeof Note>;
export type NewNote = Static<typeof NewNote>;

export const checkNoteQuery = checker(NoteQuery);

const checkNoteFields = checker(NewNote);
const hasOnePlace = ({ device_id, facility }: NewNote): boolean =>
  (device_id === undefined) !== (facility === undefined);

export const checkNewNote: Checker<NewNote> = {
  schema: NewNote,
  accepts: (value): value is NewNote => checkNoteFields.accepts(value) && hasOnePlace(value),
  faults: (value) => {
    if (!checkNoteFields.accepts(value)) return checkNoteFields.faults(value);
    if (hasOnePlace(value)) return [];
    const fault = sentence('must_have_just_one_of', { fields: 'device_id, facility' });
    return [issueOf('', fault)];
  },
};

/** The limit for each kind of item; the lists of the API have the others. */
export const SHIFT_ITEMS_MAX = 100;
export const SHIFT_MS_MAX = 7 * DAY_MS;
/** A report also names the silos that must be ordered for within this time. */
export const ORDERS_AHEAD_MS = 2 * DAY_MS;

const ShiftReportQuery = closed({
  from: Type.Optional(
    described(
      'The beginning of the shift (06:00, 14:00 or 22:00 unless the service is set otherwise) by the clocks of the site when not given; at most 7 days before `to`.',
      Timestamp,
    ),
  ),
  to: Type.Optional(described('Not included; now when not given.', Timestamp)),
  facility: Type.Optional(line(200)),
  tz: Type.Optional(
    described('By whose clocks shifts begin; the zone that the silos share when not given.', TimeZoneName),
  ),
});

const listOf = <Item extends TSchema>(meaning: string, item: Item) =>
  described(
    meaning,
    closed({
      items: Type.Array(item),
      has_more: described('There are more than are listed here.', Type.Boolean()),
    }),
  );

const { waypoints: _waypoints, preflight: _preflight, ...missionFields } = FleetMission.properties;

/** The mission without its waypoints. */
export const ShiftMission = closed(missionFields);

const JOBS = 'Those that ended in this time, and if it lasts until now those under way, newest first.';

/** The events of a period, at most 100 of each kind. */
export const ShiftReport = closed({
  from: Timestamp,
  to: Timestamp,
  time_zone: described('By whose clocks the shift began.', Type.String()),
  shift_starts: described('The times of day at which shifts begin.', Type.Array(TimeOfDay)),
  facility: Type.Union([Type.String(), Type.Null()]),
  operations: listOf(JOBS, FleetOperation),
  missions: listOf(JOBS, ShiftMission),
  commands: listOf(JOBS, FleetCommand),
  raised_alerts: listOf('By device and type, the most frequent first.', RaisedAlerts),
  open_alerts: listOf('Open now and not shelved, newest first.', FleetAlert),
  shelved_alerts: listOf('Shelved now.', FleetAlert),
  notes: listOf('About this time, newest first.', Note),
  orders: listOf('The silos that must be ordered for within two days after it.', ForecastSummary),
  changes: described(
    'As in the audit log, newest first; `null` for a key without the scope `admin`.',
    Type.Union([listOf('Newest first.', AuditEntry), Type.Null()]),
  ),
});

const HandoverText = noteNotEmpty(4_000);
const FacilityOrNull = Type.Union([line(200), Type.Null()]);

/** The text of one shift for the next one, which acknowledges it. */
export const Handover = closed({
  handover_id: Type.String(),
  facility: described('`null` for all facilities.', FacilityOrNull),
  from: Timestamp,
  to: Timestamp,
  text: HandoverText,
  created_at: Timestamp,
  created_by: OptionalActor,
  acknowledged_at: Type.Union([Timestamp, Type.Null()]),
  acknowledged_by: OptionalActor,
});

export const NewHandover = closed({
  facility: Type.Optional(FacilityOrNull),
  from: described('The shift that it is about, at most 7 days.', Timestamp),
  to: Timestamp,
  text: HandoverText,
});

const HandoverQuery = closed({
  ...PageQuery.properties,
  facility: Type.Optional(described('Also those of all facilities.', line(200))),
  waiting: Type.Optional(
    described('`true`: only those that nobody has acknowledged.', Type.Enum(['true', 'false'])),
  ),
});

export type ShiftMission = Static<typeof ShiftMission>;
export type ShiftReport = Static<typeof ShiftReport>;
export type Handover = Static<typeof Handover>;
export type NewHandover = Static<typeof NewHandover>;

export const checkShiftReportQuery = checker(ShiftReportQuery);
export const checkNewHandover = checker(NewHandover);
export const checkHandoverQuery = checker(HandoverQuery);
