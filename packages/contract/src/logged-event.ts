import { type Static, type TSchema, Type } from 'typebox';
import { Alert } from './alerts.ts';
import { OptionalActor } from './audit.ts';
import { CommandRecord } from './commands.ts';
import { DeclaredMaintenance, DevicePurge, DeviceSummary, SiloDetail } from './devices/devices.ts';
import { DeclaredSensorSummary } from './devices/sensors.ts';
import type { EventType } from './events.ts';
import { Finding } from './foresight/findings.ts';
import { ForecastChange } from './foresight/forecasts.ts';
import { Refill } from './foresight/refills.ts';
import { DeviceId } from './ids.ts';
import { checker, closed, described } from './input/schema.ts';
import { KeyRecord } from './keys.ts';
import { MissionRecord, WaypointRecord } from './missions.ts';
import { NotificationRecord, NotificationRule } from './notifications.ts';
import { OperationRecord } from './operations.ts';
import { configurationOf, type DeviceConfiguration } from './profiles/profiles.ts';
import { Proposal } from './proposals.ts';
import { Handover, Note } from './shifts.ts';
import { Timestamp } from './time.ts';
import { WebhookRecord } from './webhooks.ts';

const Count = Type.Integer({ minimum: 0 });

export const MaintainedDevice = closed({
  ...DeviceSummary.properties,
  maintenance: described('`null` when it has ended.', Type.Union([DeclaredMaintenance, Type.Null()])),
});

const { firmware_version, maintenance, purge, capacity } = SiloDetail.properties;

const { status: _status, ...declaredSensor } = DeclaredSensorSummary.properties;

export const ChangedDevice = closed({
  ...DeviceSummary.properties,
  firmware_version,
  maintenance,
  purge,
  capacity: Type.Optional(described('Of a silo.', capacity)),
  sensors: described('The declared sensors.', Type.Array(closed(declaredSensor))),
  changed: described('The names of the fields that differ.', Type.Array(Type.String())),
});

const Configuration = Type.Unsafe<DeviceConfiguration>(
  Type.Union([configurationOf('silo'), configurationOf('field')]),
);

const { mission_id, status, scheduled_start, requested, link_lost_at, result } = MissionRecord.properties;

/** The change has no waypoints, because a mission may have 500 of them. */
export const MissionChange = closed({
  mission_id,
  status,
  previous_status: described('`null` for a new mission.', Type.Union([status, Type.Null()])),
  scheduled_start,
  requested,
  link_lost_at,
  result,
});

const { status: waypointStatus, reached_at, action_result } = WaypointRecord.properties;

export const WaypointsChange = closed({
  mission_id,
  status,
  waypoints_reached: Count,
  waypoints_total: Count,
  waypoints_changed: Count,
  waypoints: described(
    'The first ten of the changed ones; `index` counts from 0.',
    Type.Array(closed({ index: Count, status: waypointStatus, reached_at, action_result })),
  ),
});

const { url: _, ...webhookProperties } = WebhookRecord.properties;

/** The change has no address, because an address may contain a secret. */
export const WebhookChange = closed(webhookProperties);

export const DeadDelivery = closed({
  webhook_id: Type.String(),
  message_id: Type.String(),
  type: described('The type of the message that was not delivered.', Type.String()),
  attempts: Count,
  last_status: Type.Union([Type.Integer(), Type.Null()]),
  last_error: Type.Union([Type.String(), Type.Null()]),
});

/** The data of each kind of change in the event log: the resource after the change, or for a mission the changed parts. */
export const EVENT_DATA = {
  'device.registered': DeviceSummary,
  'device.updated': ChangedDevice,
  'device.credentials_replaced': closed({ device_id: DeviceId }),
  'device.maintenance_changed': MaintainedDevice,
  'device.removed': DeviceSummary,
  'device.restored': DeviceSummary,
  'device.purged': closed({ device_id: DeviceId, purge: DevicePurge }),
  'device.status_changed': DeviceSummary,
  'configuration.changed': Configuration,
  'operation.status_changed': OperationRecord,
  'proposal.created': Proposal,
  'proposal.decided': Proposal,
  'command.status_changed': CommandRecord,
  'mission.status_changed': MissionChange,
  'mission.waypoint_changed': WaypointsChange,
  'mission.updated': MissionChange,
  'alert.raised': Alert,
  'alert.status_changed': Alert,
  'alert.severity_raised': Alert,
  'alert.updated': Alert,
  'alert.shelved': Alert,
  'alert.unshelved': Alert,
  'forecast.changed': ForecastChange,
  'refill.detected': Refill,
  'refill.changed': Refill,
  'finding.raised': Finding,
  'note.added': Note,
  'note.removed': Note,
  'handover.created': Handover,
  'handover.acknowledged': Handover,
  'key.issued': KeyRecord,
  'key.rotated': closed({
    ...KeyRecord.properties,
    replaces: described('The id of the old key.', Type.String()),
  }),
  'key.revoked': KeyRecord,
  'notification_rule.created': NotificationRule,
  'notification_rule.updated': NotificationRule,
  'notification_rule.removed': NotificationRule,
  'notification.failed': NotificationRecord,
  'webhook.created': WebhookChange,
  'webhook.updated': WebhookChange,
  'webhook.removed': WebhookChange,
  'webhook.secret_rotated': WebhookChange,
  'webhook.disabled': WebhookChange,
  'webhook.delivery_dead': DeadDelivery,
} as const satisfies Record<EventType, TSchema>;

/** @public For users of the client. */
export type EventDataOf<Kind extends EventType> = Static<(typeof EVENT_DATA)[Kind]>;

const eventOf = (type: EventType) =>
  closed({
    id: described(
      'Increases without gaps; a reader that has seen one number has seen all smaller ones.',
      Type.Integer({ minimum: 1 }),
    ),
    type: Type.Literal(type),
    device_id: described('`null` for an event that concerns no device.', Type.Union([DeviceId, Type.Null()])),
    at: Timestamp,
    actor: described('Who caused it; `null` for a device or the clock.', OptionalActor),
    data: EVENT_DATA[type],
  });

/** One entry of the event log; its type says what its data is. */
export type LoggedEvent = {
  [Kind in EventType]: {
    readonly id: number;
    readonly type: Kind;
    readonly device_id: string | null;
    readonly at: string;
    readonly actor: Static<typeof OptionalActor>;
    readonly data: EventDataOf<Kind>;
  };
}[EventType];

export const LoggedEvent = Type.Unsafe<LoggedEvent>(
  Type.Union((Object.keys(EVENT_DATA) as EventType[]).map(eventOf)),
);

export const checkLoggedEvent = checker(LoggedEvent);
