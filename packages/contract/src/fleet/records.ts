import { type Static, Type } from 'typebox';
import { Acknowledgement, ALERT_FILTERS, ALERT_SEVERITIES, ALERT_TYPES, Alert } from '../alerts.ts';
import { COMMAND_STATUSES, CommandRecord } from '../commands.ts';
import { PageQuery } from '../envelope.ts';
import { DeviceId } from '../ids.ts';
import { closed } from '../input/closed.ts';
import { described } from '../input/described.ts';
import { checker } from '../input/schema.ts';
import { id, line } from '../input/text-schemas.ts';
import { MISSION_STATUSES, MissionRecord } from '../missions/missions.ts';
import { OPERATION_STATUSES, OperationRecord } from '../operations.ts';

export const ALERTS_ACKNOWLEDGED_MAX = 200;

/** The filters of every list: the place of the device, or one device. */
const placeQuery = {
  ...PageQuery.properties,
  facility: Type.Optional(line(200)),
  zone: Type.Optional(line(200)),
  device_id: Type.Optional(DeviceId),
};

export const FleetAlertQuery = closed({
  ...placeQuery,
  status: Type.Optional(described('`open` when not given.', Type.Enum(ALERT_FILTERS))),
  severity: Type.Optional(Type.Enum(ALERT_SEVERITIES)),
  type: Type.Optional(Type.Enum(ALERT_TYPES)),
});
export const FleetOperationQuery = closed({
  ...placeQuery,
  status: Type.Optional(Type.Enum(OPERATION_STATUSES)),
});
export const FleetCommandQuery = closed({
  ...placeQuery,
  status: Type.Optional(Type.Enum(COMMAND_STATUSES)),
});
export const FleetMissionQuery = closed({
  ...placeQuery,
  status: Type.Optional(Type.Enum(MISSION_STATUSES)),
});

/** Every list gives the name and the place; a record that a program makes from an event does not have them. */
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

/** `not_found`: there is no such alert, or the key cannot access its device. */
const AcknowledgementResult = closed({
  alert_id: id(),
  outcome: Type.Enum(['acknowledged', 'not_found']),
  alert: Type.Union([FleetAlert, Type.Null()]),
});

/** In the order of the request. */
export const AcknowledgementResults = closed({ results: Type.Array(AcknowledgementResult) });

export type FleetAlertQuery = Static<typeof FleetAlertQuery>;
export type FleetAlert = Static<typeof FleetAlert>;
export type FleetOperation = Static<typeof FleetOperation>;
export type FleetCommand = Static<typeof FleetCommand>;
export type FleetMission = Static<typeof FleetMission>;
export type AlertsAcknowledgement = Static<typeof AlertsAcknowledgement>;
export type AcknowledgementResult = Static<typeof AcknowledgementResult>;

export const checkFleetAlertQuery = checker(FleetAlertQuery);
export const checkFleetOperationQuery = checker(FleetOperationQuery);
export const checkFleetCommandQuery = checker(FleetCommandQuery);
export const checkFleetMissionQuery = checker(FleetMissionQuery);
export const checkAlertsAcknowledgement = checker(AlertsAcknowledgement);
