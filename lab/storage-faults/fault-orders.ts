import { setTimeout as sleep } from 'node:timers/promises';
import { type ScriptedRover, startRover } from '@granary/testing/server/devices/scripted-rover';
import { eventually } from '@granary/testing/server/eventually';
import type { Answer, Api } from '@granary/testing/server/service';
import { feedingSilo, type RunningSilo, type Timed, timed } from './rig.ts';
import { NodesRig } from './several-nodes.ts';

export type Fault = 'database frozen' | 'broker away' | 'node killed';

/** Every order of the three faults; no fault ends before all of them have begun. */
export const ORDERS: readonly (readonly Fault[])[] = [
  ['database frozen', 'broker away', 'node killed'],
  ['database frozen', 'node killed', 'broker away'],
  ['broker away', 'database frozen', 'node killed'],
  ['broker away', 'node killed', 'database frozen'],
  ['node killed', 'database frozen', 'broker away'],
  ['node killed', 'broker away', 'database frozen'],
];

const NODES = 3;
/** The node that is killed: it collects the messages of the devices, and the devices were registered and started through it. */
const KILLED = 0;
/** The number of stops at the same time, as a few people cause them. */
const AT_ONCE = 4;
/** The time between two faults, so that every node has read the stored events from the event log. */
const APART_MS = 1_000;
/** The limit for the arrival of a stop during all faults except that of the broker. */
const ARRIVED_MS_MAX = 6_000;
/** The limit until the stops are stored that could not be stored before. */
const STORED_MS_MAX = 20_000;
/** Devices are started this many at a time. */
const STARTED_AT_ONCE = 10;

export interface OrderOptions {
  /** The number of stops while the broker works, after each fault; half of them are emergency stops. */
  readonly stops: number;
  /** The number of stops without the broker, after each fault. */
  readonly stopsWithoutBroker: number;
  /** How long all faults last before the broker is back. */
  readonly restMs: number;
}

/** A device that moves, and the one stop that is requested for it. */
interface Moving {
  readonly deviceId: string;
  readonly kind: 'emergency stop' | 'stop';
  readonly ask: (api: Api) => Promise<Answer>;
  readonly arrival: () => Promise<unknown>;
  readonly reconnect: () => Promise<void>;
  readonly leave: () => Promise<void>;
  /** The number of stored stops for the device. */
  readonly countStored: (api: Api) => Promise<number>;
}

/** The result of one stop. */
export interface Stop {
  readonly kind: Moving['kind'];
  /** The faults that had begun when the stop was requested. */
  readonly faults: readonly Fault[];
  /** Whether the broker had come back when the stop was requested. */
  readonly isAfterReturn: boolean;
  readonly isOfKilledNode: boolean;
  readonly status: number;
  readonly detail: string;
  readonly answeredMs: number;
  /**
   * The time from the request, or for a stop that was requested without the broker, from the moment in which the device was
   * connected again. `null` if the stop did not arrive before the database continued.
   */
  readonly atDeviceMs: number | null;
  /** The number of stored stops when all faults except the end of the node were over. */
  readonly stored: number;
}

export const withoutBroker = ({ faults, isAfterReturn }: Stop): boolean =>
  faults.includes('broker away') && !isAfterReturn;

/**
 * Runs three nodes in which one fault after the other begins, while stops are requested from every living node. At the end
 * the broker is back, the database is still frozen and the node is still dead; then the database continues.
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

/** Repeats the read, because a database that has just continued refuses some requests. */
async function read(api: Api, path: string) {
  for (;;) {
    const { status, body } = await api.get(path);
    if (status === 200) return body.data;
    await sleep(100);
  }
}

/** A stop that was requested. */
interface Asked extends Pick<Stop, 'faults' | 'isAfterReturn' | 'isOfKilledNode'> {
  readonly device: Moving;
  readonly answering: Promise<Timed<Answer>>;
  readonly askedAtMs: number;
  /** The time at which the device was connected again. */
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

  /** The devices reconnect by themselves, each as soon as it can. */
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
