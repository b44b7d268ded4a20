import { type Static, type TSchema, Type } from 'typebox';
import { Acknowledgement, ALERT_FILTERS, ALERT_SEVERITIES, ALERT_TYPES, Alert } from './alerts.ts';
import { COMMAND_STATUSES, CommandRecord } from './commands.ts';
import { DeviceSummary } from './devices/devices.ts';
import { LABEL_LIST } from './devices/labels.ts';
import { DEVICE_STATUSES } from './devices/statuses.ts';
import { PageQuery } from './envelope.ts';
import { DEVICE_ID_LIST, DeviceId } from './ids.ts';
import { type Checker, checker, closed, described, List, withLists } from './input/schema.ts';
import { id, line } from './input/text-schemas.ts';
import { Timestamp } from './input/timestamp.ts';
import { MISSION_STATUSES, MissionRecord } from './missions.ts';
import { OPERATION_STATUSES, OperationRecord } from './operations.ts';
import { DEVICE_GROUPS } from './profiles/groups.ts';
import { PROFILE_NAMES } from './profiles/profiles.ts';
import { messageFields } from './sentence-fields.ts';
import { ALERTS } from './sentences/alerts.ts';
import { ATTENTION, COMMAND_DETAILS, OPERATION_DETAILS } from './sentences/jobs.ts';
import { QUALITIES } from './telemetry/telemetry.ts';

export const ATTENTION_ITEMS_MAX = 20;
/**
 * Why a device needs attention, the most urgent reason first: an emergency stop or the stop of an operation that the device has
 * not confirmed; a critical alert that nobody has acknowledged; an offline device with a job under way; an operation whose
 * reports are missing; an emergency stop that waits for its release; another alert that nobody has acknowledged.
 */
export const ATTENTION_REASONS = [
  'emergency_stop_unconfirmed',
  'stop_unconfirmed',
  'critical_alert',
  'offline_with_job',
  'operation_unconfirmed',
  'emergency_stop_in_force',
  'warning_alert',
] as const;
export const ALERTS_ACKNOWLEDGED_MAX = 200;
/** No deployment has more facilities. */
export const FACILITY_ZONES_MAX = 10_000;

/** The newest value of a sensor that has reported. */
const FleetReading = closed({
  value: Type.Number(),
  unit: Type.String(),
  timestamp: Timestamp,
  quality: Type.Enum(QUALITIES),
});

/** The keys are the names of sensors; a silo also has `level`, in percent of its capacity. */
export const FleetReadings = Type.Record(Type.String(), FleetReading);

export const FleetDevice = closed({
  ...DeviceSummary.properties,
  group: described('The group of endpoints that the device belongs to.', Type.Enum(DEVICE_GROUPS)),
  readings: Type.Optional(described('Only with `include=readings`.', FleetReadings)),
});

const label = Type.Optional(
  described(
    'What the devices are labelled with, such as `product=wheat`, or names of labels, separated by commas.',
    List,
  ),
);

export const FleetDeviceQuery = closed({
  ...PageQuery.properties,
  facility: Type.Optional(line(200)),
  zone: Type.Optional(line(200)),
  status: Type.Optional(Type.Enum(DEVICE_STATUSES)),
  profile: Type.Optional(Type.Enum(PROFILE_NAMES)),
  q: Type.Optional(described('A part of the id, the name or the model, in upper or lower case.', line(200))),
  include: Type.Optional(Type.Enum(['readings'])),
  label,
  removed: Type.Optional(
    described('`true` lists the removed devices instead of the others.', Type.Enum(['true', 'false'])),
  ),
});

export type FleetReading = Static<typeof FleetReading>;
export type FleetReadings = Static<typeof FleetReadings>;
export type FleetDevice = Static<typeof FleetDevice>;
export type FleetDeviceQuery = Static<typeof FleetDeviceQuery>;

export const checkFleetDeviceQuery: Checker<FleetDeviceQuery> = withLists(checker(FleetDeviceQuery), [
  LABEL_LIST,
]);

/** The parts of a device that change by themselves; its name and place are in the lists of devices. */
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

const Count = Type.Integer({ minimum: 0 });

const forEach = <Name extends string, Value extends TSchema>(names: readonly Name[], value: Value) =>
  closed(Object.fromEntries(names.map((name) => [name, value])) as Record<Name, Value>);

const ATTENTION_SENTENCES = { ...ATTENTION, ...ALERTS, ...OPERATION_DETAILS, ...COMMAND_DETAILS } as const;
export type AttentionCode = keyof typeof ATTENTION_SENTENCES;

export const AttentionItem = closed({
  device_id: DeviceId,
  name: Type.String(),
  what: Type.Enum(ATTENTION_REASONS),
  since: Timestamp,
  ...messageFields(ATTENTION_SENTENCES),
  id: described(
    'The id of the alert, operation or command; `null` where the item is about the device.',
    Type.Union([Type.String(), Type.Null()]),
  ),
});

/** The time zones in which times of the facilities are shown. */
export const TimeZones = closed({
  service: described('The zone of what names no other one.', Type.String()),
  facilities: described(
    'The facilities whose silos name a zone in their configurations, in their order.',
    Type.Array(
      closed({
        facility: Type.String(),
        time_zones: described('Several where its silos do not agree.', Type.Array(Type.String())),
      }),
    ),
  ),
});

export type TimeZones = Static<typeof TimeZones>;

/** Within the limits of the key. */
export const Overview = closed({
  at: Timestamp,
  last_event_id: described(
    'The newest event when this was read. Whoever reads the lists after it and then follows the events with it as `Last-Event-ID` misses nothing.',
    Count,
  ),
  devices: closed({
    total: Count,
    by_status: forEach(DEVICE_STATUSES, Count),
    by_profile: forEach(PROFILE_NAMES, Count),
  }),
  open_alerts: described(
    'Without shelved alerts.',
    forEach(ALERT_SEVERITIES, closed({ total: Count, unacknowledged: Count })),
  ),
  under_way: described(
    'Jobs that have begun and have not ended.',
    closed({ operations: Count, commands: Count, missions: Count }),
  ),
  emergency_stops: described('The number of devices.', closed({ in_force: Count, unconfirmed: Count })),
  attention: described(
    'Most urgent first, then those that wait longest. Of many alerts of one kind those after the first give their place to what is of another kind.',
    Type.Array(AttentionItem, { maxItems: ATTENTION_ITEMS_MAX }),
  ),
  attention_more: described('Whether more needs attention than is listed.', Type.Boolean()),
});

export type AttentionReason = (typeof ATTENTION_REASONS)[number];
export type AttentionItem = Static<typeof AttentionItem>;
export type Overview = Static<typeof Overview>;

/** The filters that every list has: the place of the device, or one device. */
const placeQuery = {
  ...PageQuery.properties,
  facility: Type.Optional(line(200)),
  zone: Type.Optional(line(200)),
  device_id: Type.Optional(DeviceId),
  label,
};

const jobStatus = <const Status extends string>(statuses: readonly Status[]) =>
  Type.Optional(
    described(
      '`unfinished`: every status in which it has not ended.',
      Type.Enum([...statuses, 'unfinished' as const]),
    ),
  );

export const FleetAlertQuery = closed({
  ...placeQuery,
  status: Type.Optional(described('`open` when not given.', Type.Enum(ALERT_FILTERS))),
  severity: Type.Optional(Type.Enum(ALERT_SEVERITIES)),
  type: Type.Optional(Type.Enum(ALERT_TYPES)),
});
const FleetOperationQuery = closed({
  ...placeQuery,
  status: jobStatus(OPERATION_STATUSES),
});
const FleetCommandQuery = closed({
  ...placeQuery,
  status: jobStatus(COMMAND_STATUSES),
});
const FleetMissionQuery = closed({
  ...placeQuery,
  status: jobStatus(MISSION_STATUSES),
});

/** Every list has the name and the place; a record that a program makes from an event does not. */
const ofDevice = {
  device_id: DeviceId,
  device_name: Type.Optional(described('The name of the device.', Type.String())),
  location: Type.Optional(
    described('Where the device is.', closed({ facility: Type.String(), zone: Type.String() })),
  ),
};

export const FleetAlert = closed({ ...ofDevice, ...Alert.properties });
export const FleetOperation = closed({ ...ofDevice, ...OperationRecord.properties });
export const FleetCommand = closed({ ...ofDevice, ...CommandRecord.properties });
export const FleetMission = closed({ ...ofDevice, ...MissionRecord.properties });

export const AlertsAcknowledgement = closed({
  alert_ids: Type.Array(id(), { minItems: 1, maxItems: ALERTS_ACKNOWLEDGED_MAX, uniqueItems: true }),
  ...Acknowledgement.properties,
});

/** `not_found` means that there is no such alert, or that the key cannot access its device. */
const AcknowledgementResult = closed({
  alert_id: id(),
  outcome: Type.Enum(['acknowledged', 'not_found']),
  alert: Type.Union([FleetAlert, Type.Null()]),
});

/** The results have the order of the request. */
export const AcknowledgementResults = closed({ results: Type.Array(AcknowledgementResult) });

export type FleetAlertQuery = Static<typeof FleetAlertQuery>;
export type FleetAlert = Static<typeof FleetAlert>;
export type FleetOperation = Static<typeof FleetOperation>;
export type FleetCommand = Static<typeof FleetCommand>;
export type FleetMission = Static<typeof FleetMission>;
export type AlertsAcknowledgement = Static<typeof AlertsAcknowledgement>;
export type AcknowledgementResult = Static<typeof AcknowledgementResult>;

export const checkFleetAlertQuery = withLists(checker(FleetAlertQuery), [LABEL_LIST]);
export const checkFleetOperationQuery = withLists(checker(FleetOperationQuery), [LABEL_LIST]);
export const checkFleetCommandQuery = withLists(checker(FleetCommandQuery), [LABEL_LIST]);
export const checkFleetMissionQuery = withLists(checker(FleetMissionQuery), [LABEL_LIST]);
export const checkAlertsAcknowledgement = checker(AlertsAcknowledgement);
