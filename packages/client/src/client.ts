import { type AlertsClient, alertsClient } from './alerts.ts';
import { type CommandsClient, commandsClient } from './commands.ts';
import { type ConfigurationClient, configurationClient } from './configuration.ts';
import { type DevicesClient, devicesClient } from './devices.ts';
import { type EventsClient, eventsClient } from './events.ts';
import { type FieldReadingsClient, fieldReadingsClient } from './field-readings.ts';
import { type KeysClient, keysClient } from './keys.ts';
import { type MissionsClient, missionsClient } from './missions.ts';
import { type OperationsClient, operationsClient } from './operations.ts';
import { type PlantsClient, plantsClient } from './plants.ts';
import { type TelemetryClient, telemetryClient } from './telemetry.ts';
import { createTransport, type Fetch } from './transport.ts';

export interface ClientOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Where the service keeps its two device groups and the plant store, if not at the usual address. */
  readonly siloSegment?: string;
  readonly fieldSegment?: string;
  readonly sandboxPath?: string;
  readonly fetch?: Fetch;
  /** Waits as long as the service says when it limits this key, instead of failing; off when not given. */
  readonly waitsWhenLimited?: boolean;
}

export interface Client {
  readonly devices: DevicesClient;
  readonly telemetry: TelemetryClient;
  readonly operations: OperationsClient;
  readonly fieldReadings: FieldReadingsClient;
  readonly commands: CommandsClient;
  readonly missions: MissionsClient;
  readonly alerts: AlertsClient;
  readonly configuration: ConfigurationClient;
  readonly keys: KeysClient;
  readonly events: EventsClient;
  readonly plants: PlantsClient;
}

export function createClient({
  baseUrl,
  apiKey,
  siloSegment = 'siloscale',
  fieldSegment = 'fielddevice',
  sandboxPath = '/sandbox',
  fetch = globalThis.fetch,
  waitsWhenLimited = false,
}: ClientOptions): Client {
  const transport = createTransport({ baseUrl, apiKey, fetch, waitsWhenLimited });
  const roots = { silo: `/v1/${siloSegment}`, field: `/v1/${fieldSegment}` };
  return {
    devices: devicesClient(transport, roots),
    telemetry: telemetryClient(transport, roots),
    operations: operationsClient(transport, roots),
    fieldReadings: fieldReadingsClient(transport, roots),
    commands: commandsClient(transport, roots),
    missions: missionsClient(transport, roots),
    alerts: alertsClient(transport, roots),
    configuration: configurationClient(transport, roots),
    keys: keysClient(transport),
    events: eventsClient(transport),
    plants: plantsClient(transport, sandboxPath),
  };
}
