import { type TObject, type TSchema, Type } from 'typebox';
import { FieldConfiguration } from '../configuration/field-configuration.ts';
import { SiloConfiguration } from '../configuration/silo-configuration.ts';
import { WeatherStationConfiguration } from '../configuration/weather-station-configuration.ts';
import { type Checker, checker, closed } from '../input/schema.ts';
import * as field from '../link/field-messages.ts';
import * as silo from '../link/messages.ts';
import { sentSchema } from '../link/messages.ts';
import { PROFILES } from './profiles.ts';

/** The kinds of devices for which the device maker's guide shows messages. */
type DeviceKind = 'silo' | 'field' | 'weather_station';

/** A message between a device and the service. */
export interface DeviceMessage {
  readonly name: string;
  readonly subject: silo.UpSubject | silo.DownSubject;
  readonly kinds: readonly DeviceKind[];
  readonly summary: string;
  readonly check: Checker<unknown>;
}

type Described = readonly [name: string, summary: string, schema: TSchema | Checker<unknown>];

const messages = (
  subject: DeviceMessage['subject'],
  kinds: readonly DeviceKind[],
  described: readonly Described[],
): DeviceMessage[] =>
  described.map(([name, summary, schema]) => ({
    name,
    subject,
    kinds,
    summary,
    check: 'accepts' in schema ? (schema as Checker<unknown>) : checker(schema),
  }));

const configurationOf = (configuration: TObject): TSchema =>
  closed({ version: Type.Integer({ minimum: 1 }), ...sentSchema(configuration).properties });

/** Every message of the device link. */
export const DEVICE_MESSAGES: readonly DeviceMessage[] = [
  ...messages(
    'telemetry',
    ['silo'],
    [['SiloTelemetry', 'Readings of a silo scale: one, or an array.', PROFILES.silo_scale.checkTelemetry]],
  ),
  ...messages(
    'telemetry',
    ['field'],
    [['RoverTelemetry', 'Readings of a rover or drone: one, or an array.', PROFILES.rover.checkTelemetry]],
  ),
  ...messages(
    'telemetry',
    ['weather_station'],
    [
      [
        'WeatherStationTelemetry',
        'Readings of a weather station: one, or an array.',
        PROFILES.weather_station.checkTelemetry,
      ],
    ],
  ),
  ...messages(
    'status',
    ['silo', 'field', 'weather_station'],
    [['DeviceState', 'What the device says of itself, and leaves as its last will.', silo.DeviceState]],
  ),
  ...messages(
    'ack',
    ['silo'],
    [['OperationAck', 'Whether the device carries out an operation.', silo.OperationAck]],
  ),
  ...messages(
    'ack',
    ['field'],
    [
      ['CommandAck', 'Whether the device carries out a command.', field.CommandAck],
      ['MissionAck', 'Whether the device has taken a mission.', field.MissionAck],
    ],
  ),
  ...messages(
    'progress',
    ['silo'],
    [['OperationProgress', 'How an operation stands.', silo.OperationProgress]],
  ),
  ...messages(
    'progress',
    ['field'],
    [
      ['CommandProgress', 'How a command stands.', field.CommandProgress],
      ['MissionProgress', 'How a mission and its waypoints stand.', field.MissionProgress],
    ],
  ),
  ...messages(
    'command',
    ['silo'],
    [
      ['StartCommand', 'Starts a feed or a discharge; sent once.', silo.StartCommand],
      ['StopCommand', 'Stops an operation; repeated until it is answered.', silo.StopCommand],
      ['OperationReportCommand', 'Asks how an operation stands.', silo.ReportCommand],
    ],
  ),
  ...messages(
    'command',
    ['field'],
    [
      [
        'ExecuteCommand',
        'A single command; an emergency stop is repeated until the device reports that it stands still.',
        field.ExecuteCommand,
      ],
      ['MissionUpload', 'A whole mission; nothing moves yet.', field.MissionUpload],
      ['MissionMotion', 'Starts or resumes a mission; sent once.', field.MissionMotion],
      ['MissionHalt', 'Pauses or cancels a mission; repeated until it is answered.', field.MissionHalt],
      ['CommandReportCommand', 'Asks how a command stands.', field.CommandReport],
      ['MissionReportCommand', 'Asks how a mission stands.', field.MissionReport],
    ],
  ),
  ...messages(
    'config',
    ['silo'],
    [['SiloConfig', 'The configuration of a silo scale.', configurationOf(SiloConfiguration)]],
  ),
  ...messages(
    'config',
    ['field'],
    [['RoverConfig', 'The configuration of a rover or drone.', configurationOf(FieldConfiguration)]],
  ),
  ...messages(
    'config',
    ['weather_station'],
    [
      [
        'WeatherStationConfig',
        'The configuration of a weather station.',
        configurationOf(WeatherStationConfiguration),
      ],
    ],
  ),
];
