import { join } from 'node:path';
import { ensureProgram, MOSQUITTO, MOSQUITTO_CLIENTS } from '../outside-programs.ts';
import { type Credentials, countReadings, mqttAddress, registerSilos } from './farm.ts';
import { generateMqtt } from './generator.ts';
import type { MqttLoad } from './mqtt-load.ts';
import {
  type Reference,
  startBareBroker,
  startMosquitto,
  startMosquittoWithSqlite,
  startPersistentMosquitto,
} from './references.ts';
import { compareRates, type Finding, median, whole } from './report.ts';
import {
  processorMs,
  type ServiceProcess,
  SQLITE,
  type Storage,
  startBenchService,
} from './service-process.ts';

const ROUNDS = 7;
const ROUNDS_OF_ENGINES = 5;
const ROUNDS_OF_SENSORS = 5;
const ROUND_MS = 3_000;
const CONNECTIONS = 200;
const UNIT = 'messages/s';
const PER_SECOND_MIN = 8_000;
/**
 * The numbers of unacknowledged messages per device: as many as common clients allow, and one, as simple devices have it;
 * with the required shares of the other rates.
 */
const WINDOWS = [
  { window: 20, bareMin: 0.7, sqliteMin: 0.75, costUsMax: 11 },
  { window: 1, bareMin: undefined, sqliteMin: 0.6, costUsMax: 47 },
] as const;
const STORED =
  'stored durably, bucketed and acknowledged; window: unacknowledged messages on each connection; all acknowledged readings were counted in the history afterwards';

interface BrokerComparison {
  readonly against: string;
  readonly connections: number;
  readonly window: number;
  readonly rounds: number;
  readonly ratioMin: number;
  readonly detail: string;
  readonly start: (folder: string) => Promise<Reference>;
}

const NOT_WAITED =
  'our acknowledgements come after the synchronised write, those of Mosquitto do not wait for it';

const BROKERS: readonly BrokerComparison[] = [
  {
    against: 'Mosquitto storing nothing',
    connections: 200,
    window: 20,
    rounds: 5,
    ratioMin: 0.6,
    detail: NOT_WAITED,
    start: startMosquitto,
  },
  {
    against: 'Mosquitto with a subscriber that writes the same readings to SQLite in batches',
    connections: 200,
    window: 20,
    rounds: 5,
    ratioMin: 2,
    detail: 'messages of Mosquitto count when the subscriber has stored them',
    start: startMosquittoWithSqlite,
  },
  {
    against: 'Mosquitto with persistence and a subscriber',
    connections: 200,
    window: 1,
    rounds: 5,
    ratioMin: 0.5,
    detail: NOT_WAITED,
    start: startPersistentMosquitto,
  },
  {
    against: 'Mosquitto storing nothing',
    connections: 5_000,
    window: 20,
    rounds: 3,
    ratioMin: 0.6,
    detail: NOT_WAITED,
    start: startMosquitto,
  },
];

const SENSORS_WINDOW = 20;
const SENSORS_RATIO_MIN = 0.35;
/** The sensors beside the three that every silo has. */
const DECLARED = Array.from({ length: 21 }, (_, index) => `temp_${index + 1}`);
const SENSORS = DECLARED.map((sensor_id) => ({
  sensor_id,
  type: 'temperature',
  unit: 'celsius',
  precision: 1,
}));
const VALUES_OF_24 = {
  weight: 12_345.678,
  temperature: 18.25,
  humidity: 55.5,
  sensors: Object.fromEntries(DECLARED.map((sensorId, index) => [sensorId, 10 + (index + 1) / 10])),
};

/** Measures telemetry that is stored, against the bare broker, which stores nothing. */
export async function measureIngest(dataDir: string): Promise<Finding[]> {
  const ours = await SendingDevices.start(dataDir, SQLITE, CONNECTIONS);
  const bare = await startBareBroker();
  try {
    const findings: Finding[] = [];
    for (const { window, bareMin, costUsMax } of WINDOWS) {
      const comparison = {
        name: `MQTT QoS 1 telemetry from ${CONNECTIONS} connections, window ${window}, against the bare broker`,
        rounds: ROUNDS,
        unit: UNIT,
        ratioMin: bareMin,
        perSecondMin: PER_SECOND_MIN,
        detail: STORED,
      };
      findings.push(
        await compareRates(
          comparison,
          () => ours.perSecond(window),
          () => perSecondAt(bare, ours.devices, window),
        ),
      );
      findings.push(costOf(ours.takeCosts(), window, costUsMax));
    }
    await ours.checkStored();
    return findings;
  } finally {
    await bare.stop();
    await ours.stop();
  }
}

function costOf(costsUs: readonly number[], window: number, costUsMax: number): Finding {
  const costUs = median(costsUs);
  return {
    name: `Processor time of the service for a message, window ${window}`,
    target: `at most ${costUsMax} µs`,
    figure: `${costUs.toFixed(1)} µs`,
    met: costUs <= costUsMax,
    detail: `all threads, in the same rounds as above, with the logins of ${CONNECTIONS} connections in each; least ${Math.min(...costsUs).toFixed(1)} µs`,
  };
}

/** Measures telemetry that is stored in another database, against SQLite. */
export async function measureIngestAgainstSqlite(dataDir: string, storage: Storage): Promise<Finding[]> {
  const ours = await SendingDevices.start(join(dataDir, 'service'), storage, CONNECTIONS);
  const sqlite = await SendingDevices.start(join(dataDir, 'sqlite'), SQLITE, CONNECTIONS);
  try {
    const findings: Finding[] = [];
    for (const { window, sqliteMin } of WINDOWS) {
      const comparison = {
        name: `MQTT QoS 1 telemetry${storage.suffix} from ${CONNECTIONS} connections, window ${window}, against SQLite`,
        rounds: ROUNDS_OF_ENGINES,
        unit: UNIT,
        ratioMin: sqliteMin,
        perSecondMin: PER_SECOND_MIN,
        detail: STORED,
      };
      findings.push(
        await compareRates(
          comparison,
          () => ours.perSecond(window),
          () => sqlite.perSecond(window),
        ),
      );
    }
    await ours.checkStored();
    await sqlite.checkStored();
    return findings;
  } finally {
    await ours.stop();
    await sqlite.stop();
  }
}

/** Measures telemetry that is stored, against a broker written in C. */
export async function measureMosquitto(dataDir: string): Promise<Finding[]> {
  await ensureProgram(MOSQUITTO);
  await ensureProgram(MOSQUITTO_CLIENTS);
  const findings: Finding[] = [];
  for (const [index, comparison] of BROKERS.entries())
    findings.push(await compareWithBroker(join(dataDir, String(index)), comparison));
  return findings;
}

async function compareWithBroker(folder: string, comparison: BrokerComparison): Promise<Finding> {
  const { against, connections, window, rounds, ratioMin, detail, start } = comparison;
  const broker = await start(join(folder, 'mosquitto'));
  const ours = await SendingDevices.start(join(folder, 'service'), SQLITE, connections);
  try {
    const name = `MQTT QoS 1 telemetry from ${whole(connections)} connections, window ${window}, against ${against}`;
    const finding = await compareRates(
      { name, rounds, unit: UNIT, ratioMin, detail: `${detail}; ${STORED}` },
      () => ours.perSecond(window),
      () => perSecondAt(broker, ours.devices, window),
    );
    await ours.checkStored();
    return finding;
  } finally {
    await broker.stop();
    await ours.stop();
  }
}

/** Compares messages of silos that have 24 sensors with messages of silos that have the usual three. */
export async function measureSensors(dataDir: string): Promise<Finding> {
  const service = await startBenchService(dataDir, SQLITE);
  try {
    const usual = new SendingDevices(service, await registerSilos(service, CONNECTIONS));
    const registered = await registerSilos(service, CONNECTIONS, { prefix: 'cable', sensors: SENSORS });
    const cabled = new SendingDevices(service, registered, VALUES_OF_24);
    const name = `Messages with 24 sensors against messages with the three of every silo, ${CONNECTIONS} connections`;
    return await compareRates(
      {
        name,
        rounds: ROUNDS_OF_SENSORS,
        unit: UNIT,
        ratioMin: SENSORS_RATIO_MIN,
        detail: `window ${SENSORS_WINDOW}`,
      },
      () => cabled.perSecond(SENSORS_WINDOW),
      () => usual.perSecond(SENSORS_WINDOW),
    );
  } finally {
    await service.stop();
  }
}

/** Devices that send as fast as a service acknowledges; every acknowledged reading must be in the history. */
class SendingDevices {
  readonly devices: readonly Credentials[];
  readonly #service: ServiceProcess;
  readonly #values: MqttLoad['values'];
  #acknowledged = 0;
  #costsUs: number[] = [];

  static async start(dataDir: string, storage: Storage, connections: number): Promise<SendingDevices> {
    const service = await startBenchService(dataDir, storage);
    return new SendingDevices(service, await registerSilos(service, connections));
  }

  constructor(service: ServiceProcess, devices: readonly Credentials[], values?: MqttLoad['values']) {
    this.#service = service;
    this.devices = devices;
    this.#values = values;
  }

  async perSecond(window: number): Promise<number> {
    const { pid } = this.#service;
    const beforeMs = await processorMs(pid);
    const result = await generateMqtt({
      ...mqttAddress(this.#service),
      devices: this.devices,
      window,
      intervalMs: 0,
      durationMs: ROUND_MS,
      values: this.#values,
    });
    this.#acknowledged += result.acknowledged;
    this.#costsUs.push((1_000 * ((await processorMs(pid)) - beforeMs)) / result.acknowledged);
    return result.perSecond;
  }

  /** The processor time for a message in each round since the last call; the first round only warms up. */
  takeCosts(): number[] {
    const costs = this.#costsUs.slice(1);
    this.#costsUs = [];
    return costs;
  }

  async checkStored(): Promise<void> {
    const ids = this.devices.map(({ username }) => username);
    const stored = await countReadings(this.#service, ids);
    if (stored !== this.#acknowledged)
      throw new Error(`${this.#acknowledged} messages were acknowledged, ${stored} are stored`);
  }

  stop(): Promise<void> {
    return this.#service.stop();
  }
}

/** The rate of acknowledged messages, or of stored messages if a subscriber stores them. */
async function perSecondAt(
  { port, untilStored }: Reference,
  devices: readonly Credentials[],
  window: number,
): Promise<number> {
  const load = { host: '127.0.0.1', port, devices, window, intervalMs: 0, durationMs: ROUND_MS };
  const { perSecond, acknowledged } = await generateMqtt(load);
  if (untilStored === undefined) return perSecond;
  const endedMs = performance.now();
  await untilStored(acknowledged);
  return acknowledged / (acknowledged / perSecond + (performance.now() - endedMs) / 1_000);
}
