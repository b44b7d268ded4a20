import { setTimeout as sleep } from 'node:timers/promises';
import { type ScriptedRover, startRover } from '@granary/testing/server/devices/scripted-rover';
import { eventually } from '@granary/testing/server/eventually';
import type { Answer, Api } from '@granary/testing/server/service';
import { feedingSilo, type RunningSilo, type Timed, timed } from './rig.ts';
import { NodesRig } from './several-nodes.ts';

export type Fault = 'database frozen' | 'broker away' | 'node killed';

/** Every order of the three faults; none ends before all of them have come. */
export const ORDERS: readonly (readonly Fault[])[] = [
  ['database frozen', 'broker away', 'node killed'],
  ['database frozen', 'node killed', 'broker away'],
  ['broker away', 'database frozen', 'node killed'],
  ['broker away', 'node killed', 'database frozen'],
  ['node killed', 'database frozen', 'broker away'],
  ['node killed', 'broker away', 'database frozen'],
];

const NODES = 3;
/** The one that reads the messages of the devices, and through which they were registered and started. */
const KILLED = 0;
/** As fast as a few people press. */
const AT_ONCE = 4;
/** One fault after the other, so that every node has read from the event log what was stored before. */
const APART_MS = 1_000;
/** With all faults but that of the broker. */
const ARRIVED_MS_MAX = 6_000;
/** Until the stops are stored that could not be stored before. */
const STORED_MS_MAX = 20_000;
/** Devices are started this many at a time. */
const STARTED_AT_ONCE = 10;

export interface OrderOptions {
  /** With the broker, after each fault; half of them emergency stops. */
  readonly stops: number;
  /** Without the broker, after each fault. */
  readonly stopsWithoutBroker: number;
  /** How long all faults last before the broker is back. */
  readonly restMs: number;
}

/** A device that moves, and the one stop that is asked for it. */
interface Moving {
  readonly deviceId: string;
  readonly kind: 'emergency stop' | 'stop';
  readonly ask: (api: Api) => Promise<Answer>;
  readonly arrival: () => Promise<unknown>;
  readonly reconnect: () => Promise<void>;
  readonly leave: () => Promise<void>;
  /** How many stops the books have for it. */
  readonly countStored: (api: Api) => Promise<number>;
}

/** What became of one stop. */
export interface Stop {
  readonly kind: Moving['kind'];
  /** Those that had come when it was asked for. */
  readonly faults: readonly Fault[];
  /** The broker had come back when it was asked for. */
  readonly isAfterReturn: boolean;
  readonly isOfKilledNode: boolean;
  readonly status: number;
  readonly detail: string;
  readonly answeredMs: number;
  /** From the request; or, of a stop that was asked for without the broker, from the moment in which the device was connected again. `null`: not before the database continued. */
  readonly atDeviceMs: number | null;
  /** When all faults but the end of the node were over. */
  readonly stored: number;
}

export const withoutBroker = ({ faults, isAfterReturn }: Stop): boolean =>
  faults.includes('broker away') && !isAfterReturn;

/**
 * Three nodes, in which one thing after the other fails while stops are asked of every node that lives. At the end the broker is back,
 * the database is still frozen and the node is still dead; then the database continues.
 */
export async function tryOrder(order: readonly Fault[], options: OrderOptions): Promise<Stop[]> {
  const rig = await NodesRig.start(NODES);
  const all: Moving[] = [];
  try {
    const stages = stagesOf(order, options);
    for (const { faults, isAfterReturn, count } of stages) {
      const name = isAfterReturn ? 'r' : `${faults.length}`;
      for (let made = 0; made < count; made += STARTED_AT_ONCE) {
        const size = Math.min(STARTED_AT_ONCE, count - made);
        all.push(
          ...(await Promise.all(
            Array.from({ length: size }, (_, n) => moving(rig, `s${name}-${made + n}`, n)),
          )),
        );
      }
    }
    await rig.untilConnected(all.length);
    return await new Trial(rig, all).run(stages, options.restMs);
  } finally {
    for (const { leave } of all) await leave();
    await rig.stop();
  }
}

interface Stage {
  readonly faults: readonly Fault[];
  readonly isAfterReturn: boolean;
  readonly count: number;
}

function stagesOf(order: readonly Fault[], { stops, stopsWithoutBroker }: OrderOptions): Stage[] {
  const during = order.map((_, index) => {
    const faults = order.slice(0, index + 1);
    const count = faults.includes('broker away') ? stopsWithoutBroker : stops;
    return { faults, isAfterReturn: false, count };
  });
  return [...during, { faults: order, isAfterReturn: true, count: stopsWithoutBroker }];
}

async function moving(rig: NodesRig, deviceId: string, number: number): Promise<Moving> {
  const { api } = rig.node(0);
  return number % 2 === 0
    ? ofRover(await startRover(api, deviceId))
    : ofSilo(await feedingSilo(api, deviceId));
}

const ofRover = (rover: ScriptedRover): Moving => ({
  deviceId: rover.deviceId,
  kind: 'emergency stop',
  ask: (api) => api.post(`${rover.path}/remote/command`, { command: 'emergency_stop' }),
  arrival: () => rover.take('execute'),
  reconnect: () => rover.reconnect(),
  leave: () => rover.leave(),
  countStored: async (api) => (await read(api, `${rover.path}/remote/commands`)).length,
});

const ofSilo = ({ silo, path }: RunningSilo): Moving => ({
  deviceId: silo.deviceId,
  kind: 'stop',
  ask: (api) => api.post(`${path}/stop`),
  arrival: () => silo.take('stop'),
  reconnect: () => silo.reconnect(),
  leave: () => silo.leave(),
  countStored: async (api) => ((await read(api, path)).status === 'stopping' ? 1 : 0),
});

/** A database that has just continued refuses some requests. */
async function read(api: Api, path: string) {
  for (;;) {
    const { status, body } = await api.get(path);
    if (status === 200) return body.data;
    await sleep(100);
  }
}

/** A stop on its way. */
interface Asked extends Pick<Stop, 'faults' | 'isAfterReturn' | 'isOfKilledNode'> {
  readonly device: Moving;
  readonly answering: Promise<Timed<Answer>>;
  readonly askedAtMs: number;
  /** When the device was connected again. */
  connectedAtMs: number | null;
  arrivedAtMs: number | null;
}

class Trial {
  readonly #rig: NodesRig;
  readonly #devices: readonly Moving[];
  readonly #asked: Asked[] = [];
  #isNodeKilled = false;
  #thawedAtMs = 0;

  constructor(rig: NodesRig, devices: readonly Moving[]) {
    this.#rig = rig;
    this.#devices = devices;
  }

  async run(stages: readonly Stage[], restMs: number): Promise<Stop[]> {
    const { postgres } = this.#rig;
    const waiting = [...this.#devices];
    try {
      for (const stage of stages) {
        if (stage.isAfterReturn) await this.#returnBroker(restMs);
        else await this.#fail(stage.faults.at(-1));
        await this.#ask(stage, waiting.splice(0, stage.count));
      }
      await this.#untilArrived();
    } finally {
      this.#thawedAtMs = performance.now();
      await postgres.thaw();
    }
    const stops: Stop[] = [];
    for (const asked of this.#asked) stops.push(await this.#resultOf(asked));
    return stops;
  }

  async #resultOf(asked: Asked): Promise<Stop> {
    const { device, faults, isAfterReturn, isOfKilledNode } = asked;
    const { result: answer, ms: answeredMs } = await asked.answering;
    const { askedAtMs, connectedAtMs, arrivedAtMs } = asked;
    const beforeThaw = arrivedAtMs !== null && arrivedAtMs < this.#thawedAtMs ? arrivedAtMs : null;
    return {
      kind: device.kind,
      faults,
      isAfterReturn,
      isOfKilledNode,
      status: answer.status,
      detail: answer.body?.data?.status_detail ?? answer.text,
      answeredMs,
      atDeviceMs: beforeThaw === null ? null : beforeThaw - (connectedAtMs ?? askedAtMs),
      stored: await this.#countStored(asked),
    };
  }

  async #fail(fault: Fault | undefined): Promise<void> {
    await sleep(APART_MS);
    if (fault === 'database frozen') await this.#rig.postgres.freeze();
    if (fault === 'broker away') await this.#rig.broker.end();
    if (fault === 'node killed') {
      await this.#rig.killNode(KILLED);
      this.#isNodeKilled = true;
    }
  }

  async #ask({ faults, isAfterReturn }: Stage, devices: readonly Moving[]): Promise<void> {
    const { nodes } = this.#rig;
    const next = devices.entries();
    const askNext = async (): Promise<void> => {
      for (const [index, device] of next) {
        const number = index % nodes.length;
        const node = nodes[number];
        if (node === undefined) throw new Error('no node lives');
        const isOfKilledNode = !this.#isNodeKilled && number === KILLED;
        const askedAtMs = performance.now();
        const answering = timed(device.ask(node.api));
        const asked: Asked = {
          device,
          faults,
          isAfterReturn,
          isOfKilledNode,
          answering,
          askedAtMs,
          connectedAtMs: null,
          arrivedAtMs: null,
        };
        this.#asked.push(asked);
        void device.arrival().then(
          () => {
            asked.arrivedAtMs = performance.now();
          },
          () => undefined,
        );
        await answering;
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, askNext));
  }

  /** Devices connect again by themselves; each as soon as it can. */
  async #returnBroker(restMs: number): Promise<void> {
    await sleep(restMs);
    await this.#rig.broker.restart();
    await Promise.all(
      this.#devices.map(async (device) => {
        const waiting = this.#asked.find((one) => one.device === device && one.arrivedAtMs === null);
        await device.reconnect();
        if (waiting !== undefined) waiting.connectedAtMs = waiting.arrivedAtMs ?? performance.now();
      }),
    );
  }

  async #untilArrived(): Promise<void> {
    const untilMs = performance.now() + ARRIVED_MS_MAX;
    while (this.#asked.some(({ arrivedAtMs }) => arrivedAtMs === null) && performance.now() < untilMs)
      await sleep(20);
  }

  async #countStored({ device, isOfKilledNode }: Asked): Promise<number> {
    const { api } = this.#rig.node(0);
    await eventually(async () => (await api.get('/readyz')).status, 200);
    const count = () => device.countStored(api);
    if (!isOfKilledNode) await eventually(count, 1, STORED_MS_MAX).catch(() => undefined);
    return await count();
  }
}
