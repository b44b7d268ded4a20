import type { FieldDetail, SiloDetail } from '@granary/contract/devices/devices';
import {
  DEFAULT_ADDRESSES,
  type GroupRoots,
  groupRoots,
} from '@granary/contract/endpoints/declaration/groups';
import type { EndpointOutline } from '@granary/contract/endpoints/declaration/outline';
import type { endpoints } from '@granary/contract/endpoints/endpoints';
import type { Readiness } from '@granary/contract/endpoints/health';
import type { NewPlant, Plant } from '@granary/contract/endpoints/plants';
import { ENDPOINT_OUTLINES } from '@granary/contract/outline';
import { storedPlantJson } from '@granary/contract/plant-json';
import type { DeviceGroup } from '@granary/contract/profiles/groups';
import type { ConfigurationOf, ConfigurationPatchOf } from '@granary/contract/profiles/profiles';
import type { DeviceTelemetry, TelemetryReceipt } from '@granary/contract/telemetry/telemetry';
import { callOf, derive } from './derive.ts';
import type { CallOptions } from './requests/transport.ts';
import { createTransport, type Fetch, type Transport } from './requests/transport.ts';
import { eventsClient } from './streams/events.ts';
import { exportsClient } from './streams/exports.ts';
import { readingsClient } from './streams/readings.ts';

type Endpoints = typeof endpoints;

export interface Versioned<Configuration> {
  readonly configuration: Configuration;
  /** Pass it as `ifMatch`, so that a change of another caller is not overwritten. */
  readonly etag: string | null;
}

/** Both methods are written by hand, because the version of a configuration is in a header. */
interface ConfigurationGroup<Configuration, Patch> {
  get(deviceId: string, options?: CallOptions): Promise<Versioned<Configuration>>;
  update(deviceId: string, patch: Patch, options?: CallOptions): Promise<Versioned<Configuration>>;
}

function configurationClient(transport: Transport, roots: GroupRoots) {
  const group = <Group extends DeviceGroup>(
    name: Group,
  ): ConfigurationGroup<ConfigurationOf<Group>, ConfigurationPatchOf<Group>> => {
    const { get, update } = ENDPOINT_OUTLINES.configuration[name];
    const versioned = async (endpoint: EndpointOutline, args: readonly unknown[]) => {
      const { body, headers } = await transport.exchange<ConfigurationOf<Group>>(
        callOf(endpoint, roots, args),
      );
      return { configuration: body.data, etag: headers.get('etag') };
    };
    return {
      get: (deviceId, options) => versioned(get, [deviceId, options]),
      update: (deviceId, patch, options) => versioned(update, [deviceId, patch, options]),
    };
  };
  const { silo, field } = derive<Endpoints['configuration']>(
    ENDPOINT_OUTLINES.configuration,
    transport,
    roots,
  );
  return { silo: { ...silo, ...group('silo') }, field: { ...field, ...group('field') } };
}

export interface VersionedDevice<Detail> {
  readonly device: Detail;
  /** Pass it as `ifMatch`, so that a change of another caller is not overwritten. */
  readonly etag: string | null;
}

/** `getVersioned` is written by hand, because the version of a device is in a header. */
function devicesClient(transport: Transport, roots: GroupRoots) {
  const getVersioned =
    <Detail>(get: EndpointOutline) =>
    async (deviceId: string, options?: CallOptions): Promise<VersionedDevice<Detail>> => {
      const { body, headers } = await transport.exchange<Detail>(callOf(get, roots, [deviceId, options]));
      return { device: body.data, etag: headers.get('etag') };
    };
  const outlines = ENDPOINT_OUTLINES.devices;
  const { silo, field } = derive<Endpoints['devices']>(outlines, transport, roots);
  return {
    silo: { ...silo, getVersioned: getVersioned<SiloDetail>(outlines.silo.get) },
    field: { ...field, getVersioned: getVersioned<FieldDetail>(outlines.field.get) },
  };
}

/** The plant store sample; its ids have 64 bits, so they are bigints. */
interface PlantsClient {
  create(plant: NewPlant, options?: CallOptions): Promise<Plant>;
  get(id: bigint, options?: CallOptions): Promise<NewPlant>;
}

function plantsClient(transport: Transport, roots: GroupRoots): PlantsClient {
  const { create, get } = ENDPOINT_OUTLINES.plants;
  return {
    create: async (plant, options) => {
      const { body: _, ...call } = callOf(create, roots, [undefined, options]);
      return JSON.parse(await transport.text({ ...call, json: storedPlantJson(plant) }));
    },
    // The id in the answer has lost digits as a number, so the requested id is used.
    get: async (id, options) => ({
      ...JSON.parse(await transport.text(callOf(get, roots, [id, options]))),
      id,
    }),
  };
}

/** The methods of these slices follow from their endpoints. The others are written by hand, or are not for programs in TypeScript. */
const {
  devices: _devices,
  telemetry: _telemetry,
  configuration: _configuration,
  exports: _exports,
  events: _events,
  readings: _readings,
  health: _health,
  plants: _plants,
  console: _console,
  mcp: _mcp,
  icar: _icar,
  reference: _reference,
  ...DERIVED
} = ENDPOINT_OUTLINES;

const NOT_READY = 503;

const TIME_LIMIT_MS = 30_000;

export interface ClientOptions {
  readonly baseUrl: string;
  /** The API key. In a browser it may be missing: then the cookie of the signed-in person is used. */
  readonly apiKey?: string | undefined;
  /** The paths of the two device groups and the plant store, if they are not the default ones. */
  readonly siloSegment?: string;
  readonly fieldSegment?: string;
  readonly sandboxPath?: string;
  readonly fetch?: Fetch;
  /**
   * The time after which a call fails, with all its repetitions; the default is 30 s. A call is repeated until then if the
   * service is unreachable or busy, or limits the rate of this key; 0 sends every call once.
   */
  readonly timeLimitMs?: number;
}

export type Client = ReturnType<typeof createClient>;

/** Every endpoint as a method, under the name that the contract gives it. */
export function createClient({
  baseUrl,
  apiKey,
  siloSegment = DEFAULT_ADDRESSES.siloSegment,
  fieldSegment = DEFAULT_ADDRESSES.fieldSegment,
  sandboxPath = DEFAULT_ADDRESSES.sandboxPath,
  fetch = globalThis.fetch,
  timeLimitMs = TIME_LIMIT_MS,
}: ClientOptions) {
  const transport = createTransport({
    baseUrl,
    apiKey,
    fetch,
    timeLimitMs,
    now: Date.now,
    random: Math.random,
  });
  const roots = groupRoots({ siloSegment, fieldSegment, sandboxPath });
  const telemetry = derive<Endpoints['telemetry']>(ENDPOINT_OUTLINES.telemetry, transport, roots);
  const send = { silo: telemetry.silo.send, field: telemetry.field.send };
  return {
    ...derive<Pick<Endpoints, keyof typeof DERIVED>>(DERIVED, transport, roots),
    devices: devicesClient(transport, roots),
    telemetry: {
      current: telemetry.silo.current,
      history: telemetry.silo.history,
      /** Sends readings for devices that do not use MQTT; resolves when the readings are on disk. */
      send: (
        group: DeviceGroup,
        deviceId: string,
        readings: DeviceTelemetry,
        options?: CallOptions,
      ): Promise<TelemetryReceipt> => send[group](deviceId, readings, options),
    },
    fieldReadings: telemetry.field,
    configuration: configurationClient(transport, roots),
    exports: exportsClient(transport, roots),
    events: eventsClient(transport, roots),
    /** The stream of newest values, for screens. */
    readings: readingsClient(transport, roots),
    health: healthClient(transport, roots),
    plants: plantsClient(transport, roots),
  };
}

/** The answers have no envelope, and a service that is not ready also answers its checks. */
interface HealthClient {
  live(options?: CallOptions): Promise<{ readonly status: string }>;
  ready(options?: CallOptions): Promise<Readiness>;
  /** The figures of the service, in the text format of Prometheus. */
  metrics(options?: CallOptions): Promise<string>;
}

function healthClient(transport: Transport, roots: GroupRoots): HealthClient {
  const { live, ready, metrics } = ENDPOINT_OUTLINES.health;
  return {
    live: async (options) => JSON.parse(await transport.text(callOf(live, roots, [options]))),
    ready: async (options) => JSON.parse(await transport.text(callOf(ready, roots, [options]), [NOT_READY])),
    metrics: (options) => transport.text(callOf(metrics, roots, [options])),
  };
}
