import type { TSchema } from 'typebox';
import { AlarmHelp, AlarmHelpTexts } from '../alarm-help.ts';
import { AlertStatistics, RaisedAlerts } from '../alert-statistics.ts';
import { Acknowledgement, Alert, Shelving } from '../alerts.ts';
import { Actor, AuditEntry, Difference } from '../audit.ts';
import * as bridges from '../bridges.ts';
import { CommandRecord, CommandRequest, CommandResult } from '../commands.ts';
import {
  FieldConfiguration,
  FieldConfigurationPatch,
  Geofence,
} from '../configuration/field-configuration.ts';
import { Alarms, Maintenance, Reporting, ThresholdRule } from '../configuration/shared-configuration.ts';
import { SiloConfiguration, SiloConfigurationPatch } from '../configuration/silo-configuration.ts';
import {
  WeatherStationConfiguration,
  WeatherStationConfigurationPatch,
} from '../configuration/weather-station-configuration.ts';
import { Confirmation, NewConfirmation } from '../confirmations.ts';
import { DeclaredEnd, EndDeclaration } from '../declared-end.ts';
import * as devices from '../devices/devices.ts';
import { DeclaredMaintenance, MaintenanceRequest } from '../devices/devices.ts';
import { DeclaredSensorSummary, SensorDeclaration, SensorPosition } from '../devices/sensors.ts';
import { ErrorAnswer } from '../endpoints/declaration/answers.ts';
import { RegisteredFieldDevice, RegisteredSilo } from '../endpoints/devices.ts';
import { Liveness, Readiness } from '../endpoints/health.ts';
import { Plant, PlantError } from '../endpoints/plants.ts';
import * as records from '../fleet.ts';
import { AttentionItem, FleetDevice, FleetReadings, Overview } from '../fleet.ts';
import { Finding, GrainState } from '../foresight/findings.ts';
import { Forecast, ForecastChange, ForecastSummary, PathPoint, Reason } from '../foresight/forecasts.ts';
import { OrderList, PlannedDeliveries, Refill, RefillPatch } from '../foresight/refills.ts';
import { Animals, PlannedDelivery, Product, Supply } from '../foresight/silo-use.ts';
import { IssuedKey, KeyAssignment, KeyRecord, KeyRotation, NewKey } from '../keys.ts';
import { LinkStatus } from '../link/link-status.ts';
import * as events from '../logged-event.ts';
import { Me, SecondFactor, SecondFactorChange } from '../me.ts';
import * as missions from '../missions.ts';
import { Waypoint } from '../missions.ts';
import {
  EscalationStep,
  NotificationRecord,
  NotificationRule,
  NotificationRuleInput,
} from '../notifications.ts';
import * as operations from '../operations.ts';
import { NewPasskey, Passkey, PasskeyAssertion, PasskeyChallenge } from '../passkeys.ts';
import { GrantRecord, Invitation, NewGrant, NewPerson, Person, PersonPatch } from '../people.ts';
import { Point, Position } from '../positions.ts';
import { DischargeProposal, FeedProposal, Proposal } from '../proposals.ts';
import * as reports from '../reports.ts';
import { SessionRecord, SignIn, SignInCode } from '../session.ts';
import { Handover, NewHandover, NewNote, Note, ShiftMission, ShiftReport } from '../shifts.ts';
import { AppliedPolicy, GroupGrant, NewSignInPolicy, SignInPolicy } from '../sign-on.ts';
import { Applied, SiteChange, SiteDevice, SiteDocument } from '../site.ts';
import { EnvironmentalReading, LocationReading, Track, TrackPoint } from '../telemetry/field-readings.ts';
import { CurrentReadings, HistoryPoint, SensorHistory, TelemetryReceipt } from '../telemetry/telemetry.ts';
import { NewTerminal, Terminal, TerminalLink, TerminalPerson, TerminalSignIn } from '../terminals.ts';
import { NewView, Preferences, Units, View, ViewPatch } from '../views.ts';
import * as webhooks from '../webhooks.ts';

/** The schemas that have a name in the references; every other one is written where it is used. */
export const NAMED_SCHEMAS: Readonly<Record<string, TSchema>> = {
  Acknowledgement,
  Alert,
  Shelving,
  Actor,
  AuditEntry,
  CommandRecord,
  CommandRequest,
  CommandResult,
  FieldConfiguration,
  FieldConfigurationPatch,
  Geofence,
  Alarms,
  Maintenance,
  Reporting,
  ThresholdRule,
  SiloConfiguration,
  SiloConfigurationPatch,
  WeatherStationConfiguration,
  WeatherStationConfigurationPatch,
  DeclaredEnd,
  EndDeclaration,
  DeviceSummary: devices.DeviceSummary,
  SensorSummary: devices.SensorSummary,
  SiloDetail: devices.SiloDetail,
  FieldDetail: devices.FieldDetail,
  SiloRegistration: devices.SiloRegistration,
  FieldRegistration: devices.FieldRegistration,
  SiloPatch: devices.SiloPatch,
  FieldPatch: devices.FieldPatch,
  DeviceCredentials: devices.DeviceCredentials,
  Rejections: devices.Rejections,
  EmergencyStopSummary: devices.EmergencyStopSummary,
  Rejection: devices.Rejection,
  DeclaredMaintenance,
  MaintenanceRequest,
  DeclaredSensorSummary,
  SensorDeclaration,
  SensorPosition,
  Error: ErrorAnswer,
  RegisteredFieldDevice,
  RegisteredSilo,
  Liveness,
  Readiness,
  LoggedEvent: events.LoggedEvent,
  MaintainedDevice: events.MaintainedDevice,
  ChangedDevice: events.ChangedDevice,
  MissionChange: events.MissionChange,
  WaypointsChange: events.WaypointsChange,
  WebhookChange: events.WebhookChange,
  DeadDelivery: events.DeadDelivery,
  FleetDevice,
  FleetReadings,
  AttentionItem,
  Overview,
  FleetAlert: records.FleetAlert,
  FleetOperation: records.FleetOperation,
  FleetCommand: records.FleetCommand,
  FleetMission: records.FleetMission,
  AlertsAcknowledgement: records.AlertsAcknowledgement,
  AcknowledgementResults: records.AcknowledgementResults,
  Finding,
  GrainState,
  Forecast,
  ForecastChange,
  ForecastSummary,
  PathPoint,
  Reason,
  OrderList,
  PlannedDeliveries,
  Refill,
  RefillPatch,
  Animals,
  PlannedDelivery,
  Product,
  Supply,
  Bridge: bridges.Bridge,
  BridgeDetail: bridges.BridgeDetail,
  BridgedDevice: bridges.BridgedDevice,
  ShownBridgedDevice: bridges.ShownBridgedDevice,
  BridgeInstructions: bridges.BridgeInstructions,
  BridgeKey: bridges.BridgeKey,
  BridgeKeyChoice: bridges.BridgeKeyChoice,
  BridgeJournal: bridges.BridgeJournal,
  BridgeMapping: bridges.BridgeMapping,
  BridgeReport: bridges.BridgeReport,
  BridgeSite: bridges.BridgeSite,
  BridgeTest: bridges.BridgeTest,
  NewBridgedDevice: bridges.NewBridgedDevice,
  NewBridgeTest: bridges.NewBridgeTest,
  TestedPoint: bridges.TestedPoint,
  AlarmHelp,
  AlarmHelpTexts,
  AlertStatistics,
  RaisedAlerts,
  Proposal,
  FeedProposal,
  DischargeProposal,
  Handover,
  NewHandover,
  NewNote,
  Note,
  NewReportSchedule: reports.NewReportSchedule,
  Report: reports.Report,
  ReportSchedule: reports.ReportSchedule,
  ReportSilo: reports.ReportSilo,
  SentReport: reports.SentReport,
  ShiftMission,
  ShiftReport,
  GrantRecord,
  Invitation,
  Me,
  SecondFactor,
  SecondFactorChange,
  NewGrant,
  NewPasskey,
  Passkey,
  PasskeyAssertion,
  PasskeyChallenge,
  NewPerson,
  Person,
  PersonPatch,
  AppliedPolicy,
  GroupGrant,
  NewSignInPolicy,
  SignInPolicy,
  NewView,
  Preferences,
  Units,
  View,
  ViewPatch,
  IssuedKey,
  KeyAssignment,
  KeyRecord,
  KeyRotation,
  NewKey,
  LinkStatus,
  Waypoint,
  SessionRecord,
  SignIn,
  SignInCode,
  NewTerminal,
  Terminal,
  TerminalLink,
  TerminalPerson,
  TerminalSignIn,
  Confirmation,
  NewConfirmation,
  Mission: missions.Mission,
  MissionRecord: missions.MissionRecord,
  Leg: missions.Leg,
  MissionResult: missions.MissionResult,
  Preflight: missions.Preflight,
  PreflightRequest: missions.PreflightRequest,
  PreflightResult: missions.PreflightResult,
  WaypointRecord: missions.WaypointRecord,
  EscalationStep,
  NotificationRecord,
  NotificationRule,
  NotificationRuleInput,
  FeedRequest: operations.FeedRequest,
  DischargeRequest: operations.DischargeRequest,
  OperationStarted: operations.OperationStarted,
  OperationRecord: operations.OperationRecord,
  OperationFailure: operations.OperationFailure,
  Plant,
  PlantError,
  Point,
  Position,
  Applied,
  Difference,
  SiteChange,
  SiteDevice,
  SiteDocument,
  EnvironmentalReading,
  LocationReading,
  Track,
  TrackPoint,
  CurrentReadings,
  HistoryPoint,
  SensorHistory,
  TelemetryReceipt,
  NewWebhook: webhooks.NewWebhook,
  WebhookPatch: webhooks.WebhookPatch,
  WebhookRecord: webhooks.WebhookRecord,
  IssuedWebhook: webhooks.IssuedWebhook,
  SecretRotation: webhooks.SecretRotation,
  WebhookEnabling: webhooks.WebhookEnabling,
  WebhookReplay: webhooks.WebhookReplay,
  ReplayResult: webhooks.ReplayResult,
  WebhookDelivery: webhooks.WebhookDelivery,
};
