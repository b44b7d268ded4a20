import type { FieldDetail, SiloDetail } from '@granary/contract/devices/devices';
import type { Endpoint } from '@granary/contract/endpoints/declaration/endpoint';
import {
  DEFAULT_ADDRESSES,
  type GroupRoots,
  groupRoots,
} from '@granary/contract/endpoints/declaration/groups';
import { endpoints } from '@granary/contract/endpoints/endpoints';
import type { Readiness } from '@granary/contract/endpoints/health';
import { type NewPlant, type Plant, storedPlantJson } from '@granary/contract/endpoints/plants';
import type { Success } from '@granary/contract/envelope';
import type { DeviceGroup } from '@granary/contract/profiles/groups';
import type { DeviceTelemetry, TelemetryReceipt } from '@granary/contract/telemetry/telemetry';
import { callOf, derive } from './derive.ts';
import type { CallOptions } from './requests/transport.ts';
import { createTransport, type Fetch, type Transport } from './requests/transport.ts';
import { eventsClient } from './streams/events.ts';
import { exportsClient } from './streams/exports.ts';
import { readingsClient } from './streams/readings.ts';

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

interface ConfigurationEndpoints<Configuration, Patch> {
  readonly get: Endpoint<string, undefined, undefined, Success<Configuration>>;
  readonly update: Endpoint<string, undefined, Patch, Success<Configuration>>;
}

function configurationClient(transport: Transport, roots: GroupRoots) {
  const group = <Configuration, Patch>({
    get,
    update,
  }: ConfigurationEndpoints<Configuration, Patch>): ConfigurationGroup<Configuration, Patch> => {
    const versioned = async (endpoint: Endpoint, args: readonly unknown[]) => {
      const { body, headers } = await transport.exchange<Configuration>(callOf(endpoint, roots, args));
      return { configuration: body.data, etag: headers.get('etag') };
    };
    return {
      get: (deviceId, options) => versioned(get, [deviceId, options]),
      update: (deviceId, patch, options) => versioned(update, [deviceId, patch, options]),
    };
  };
  const { silo, field } = endpoints.configuration;
  return {
    silo: { ...group(silo), ...derive({ versions: silo.versions }, transport, roots) },
    field: { ...group(field), ...derive({ versions: field.versions }, transport, roots) },
  };
}

export interface VersionedDevice<Detail> {
  readonly device: Detail;
  /** Pass it as `ifMatch`, so that a change of another caller is not overwritten. */
  readonly etag: string | null;
}

/** `getVersioned` is written by hand, because the version of a device is in a header. */
function devicesClient(transport: Transport, roots: GroupRoots) {
  const getVersioned =
    <Detail>(get: Endpoint) =>
    async (deviceId: string, options?: CallOptions): Promise<VersionedDevice<Detail>> => {
      const { body, headers } = await transport.exchange<Detail>(callOf(get, roots, [deviceId, options]));
      return { device: body.data, etag: headers.get('etag') };
    };
  const { silo, field } = endpoints.devices;
  return {
    silo: { ...derive(silo, transport, roots), getVersioned: getVersioned<SiloDetail>(silo.get) },
    field: { ...derive(field, transport, roots), getVersioned: getVersioned<FieldDetail>(field.get) },
  };
}

/** The plant store sample; its ids have 64 bits, so they are bigints. */
interface PlantsClient {
  create(plant: NewPlant, options?: CallOptions): Promise<Plant>;
  get(id: bigint, options?: CallOptions): Promise<NewPlant>;
}

function plantsClient(transport: Transport, roots: GroupRoots): PlantsClient {
  const { create, get } = endpoints.plants;
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
  const { telemetry, alerts } = endpoints;
  const siloReadings = derive(telemetry.silo, transport, roots);
  const fieldReadings = derive(telemetry.field, transport, roots);
  const send = { silo: siloReadings.send, field: fieldReadings.send };
  return {
    devices: devicesClient(transport, roots),
    telemetry: {
      current: siloReadings.current,
      history: siloReadings.history,
      /** Sends readings for devices that do not use MQTT; resolves when the readings are on disk. */
      send: (
        group: DeviceGroup,
        deviceId: string,
        readings: DeviceTelemetry,
        options?: CallOptions,
      ): Promise<TelemetryReceipt> => send[group](deviceId, readings, options),
    },
    fieldReadings,
    operations: derive(endpoints.operations, transport, roots),
    /** Operations that programs propose and people confirm. */
    proposals: derive(endpoints.proposals, transport, roots),
    commands: derive(endpoints.commands, transport, roots),
    missions: derive(endpoints.missions, transport, roots),
    alerts: { silo: derive(alerts.silo, transport, roots), field: derive(alerts.field, transport, roots) },
    configuration: configurationClient(transport, roots),
    /** Views of all devices that the key may see. */
    fleet: derive(endpoints.fleet, transport, roots),
    /** The same change of many devices, and the import of devices from a CSV file. */
    bulk: derive(endpoints.bulk, transport, roots),
    /** Forecasts, refills, orders and findings of silos. */
    foresight: derive(endpoints.foresight, transport, roots),
    /** Notes, and the handovers from one shift to the next. */
    shifts: derive(endpoints.shifts, transport, roots),
    /** Reports of a day, a week or a month, and the schedules by which they are sent. */
    reports: derive(endpoints.reports, transport, roots),
    /** Views of the operators' page. */
    views: derive(endpoints.views, transport, roots),
    /** Processes that attach devices which were not made for this service. */
    bridges: derive(endpoints.bridges, transport, roots),
    /** The texts of a site about its alerts. */
    alarmHelp: derive(endpoints.alarmHelp, transport, roots),
    exports: exportsClient(transport, roots),
    keys: derive(endpoints.keys, transport, roots),
    people: derive(endpoints.people, transport, roots),
    /** Web Push of the person who has signed in. */
    push: derive(endpoints.push, transport, roots),
    signOn: derive(endpoints.signOn, transport, roots),
    /** The person who has signed in. */
    me: derive(endpoints.me, transport, roots),
    /** Sign-in for browsers. */
    session: derive(endpoints.session, transport, roots),
    /** Shared terminals, and the people who sign in there. */
    terminals: derive(endpoints.terminals, transport, roots),
    confirmations: derive(endpoints.confirmations, transport, roots),
    audit: derive(endpoints.audit, transport, roots),
    notifications: derive(endpoints.notifications, transport, roots),
    webhooks: derive(endpoints.webhooks, transport, roots),
    /** The devices and their configurations as one document. */
    site: derive(endpoints.site, transport, roots),
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
  const { live, ready, metrics } = endpoints.health;
  return {
    live: async (options) => JSON.parse(await transport.text(callOf(live, roots, [options]))),
    ready: async (options) => JSON.parse(await transport.text(callOf(ready, roots, [options]), [NOT_READY])),
    metrics: (options) => transport.text(callOf(metrics, roots, [options])),
  };
}
