import { setTimeout as sleep } from 'node:timers/promises';
import type { CommandRecord } from '@granary/contract/commands';
import type { MissionRecord } from '@granary/contract/missions';
import type { OperationRecord } from '@granary/contract/operations';
import { pythonWithPaho } from '../../link/outside-clients.ts';
import { CrashingService } from '../crashing-service.ts';
import { HOME, roverNamed } from '../devices/scripted-rover.ts';
import { TWO_WAYPOINTS } from '../missions.ts';
import { SeededRandom } from '../seeded-random.ts';
import { siloNamed } from '../service.ts';
import { CUT_MOMENTS, CuttingProxy } from './cutting-proxy.ts';
import { PahoSilo } from './paho-silo.ts';
import type { DeviceParts, RigDevice } from './session-device.ts';
import { SessionRover } from './session-rover.ts';
import { SessionSilo } from './session-silo.ts';

export interface RigSize {
  readonly silos: number;
  /** The number of silos on paho; they need a Python that has it. */
  readonly pahoSilos: number;
  readonly rovers: number;
  readonly operationsPerSilo: number;
  readonly missionsPerRover: number;
  readonly cuts: number;
  /** The interval between cuts, for each device. */
  readonly cutEveryMs: number;
  readonly absentMsMax: number;
  readonly kills: number;
  readonly killEveryMs: number;
  readonly endsWithinMs: number;
}

/** An emergency stop that the device has confirmed, and the time at which it was released. */
interface Halt {
  readonly device: RigDevice;
  readonly command: CommandRecord;
  readonly releasedAtMs: number;
}

export interface RigResult {
  readonly operations: {
    readonly device: RigDevice;
    readonly record: OperationRecord;
    readonly isStopRequested: boolean;
  }[];
  readonly missions: { readonly device: RigDevice; readonly record: MissionRecord }[];
  readonly halts: Halt[];
  readonly devices: readonly RigDevice[];
  readonly kills: number;
}

const SILOS = '/v1/siloscale/devices';
const ROVERS = '/v1/fielddevice/devices';
const POLL_MS = 100;
const RECEIVED_SHOWN = 10;
const FIRST_WEIGHT_KG = 500;
const MEMORY_LOSS_SHARE = 0.6;
const SILENT_SHARE = 0.3;

/** Runs operations and missions on devices with persistent sessions whose connections are cut repeatedly while the service is killed. */
export class SessionRig {
  readonly #size: RigSize;
  readonly #random: SeededRandom;
  readonly #service: CrashingService;
  readonly #devices: RigDevice[] = [];
  readonly #losingMemory = new Set<RigDevice>();
  readonly #operations: RigResult['operations'] = [];
  readonly #missions: RigResult['missions'] = [];
  readonly #halts: Halt[] = [];
  #isWorkDone = false;
  #isRemoved = false;

  constructor(size: RigSize, seed: number) {
    this.#size = size;
    this.#random = new SeededRandom(seed);
    this.#service = new CrashingService({
      killAfterMsMin: size.killEveryMs / 2,
      killAfterMsMax: size.killEveryMs * 1.5,
      killsMax: size.kills,
      random: () => this.#random.next(),
    });
  }

  async run(): Promise<RigResult> {
    await this.#service.start();
    const { silos, pahoSilos, rovers } = this.#size;
    const python = pythonWithPaho();
    const add = async (
      root: string,
      registration: { device_id: string },
      make: (p: DeviceParts) => RigDevice,
    ) => {
      const device = make(await this.#register(root, registration));
      // Every second device loses its memory.
      if (this.#devices.length % 2 === 0) this.#losingMemory.add(device);
      this.#devices.push(device);
      return device;
    };
    const work: (() => Promise<void>)[] = [];
    for (let index = 0; index < silos + pahoSilos; index++) {
      const silo = await add(SILOS, siloNamed(`silo-${index}`), (parts) =>
        python === undefined || index < silos
          ? new SessionSilo(parts, FIRST_WEIGHT_KG)
          : new PahoSilo(python, parts, FIRST_WEIGHT_KG),
      );
      work.push(() => this.#operate(silo));
    }
    for (let index = 0; index < rovers; index++) {
      const rover = await add(ROVERS, roverNamed(`rover-${index}`), (parts) => new SessionRover(parts));
      work.push(() => this.#drive(rover));
    }
    this.#service.beginKilling();
    const cutting = Promise.all(this.#devices.map((device) => this.#cutRepeatedly(device)));
    await Promise.all(work.map((one) => one()));
    this.#isWorkDone = true;
    await Promise.all([cutting, this.#service.endKilling()]);
    return {
      operations: this.#operations,
      missions: this.#missions,
      halts: this.#halts,
      devices: this.#devices,
      kills: this.#service.kills,
    };
  }

  async remove(): Promise<void> {
    this.#isRemoved = true;
    for (const device of this.#devices) {
      device.leave();
      device.proxy.stop();
    }
    await this.#service.remove();
  }

  async #register(root: string, registration: { readonly device_id: string }): Promise<DeviceParts> {
    const { credentials } = await this.#service.ask(root, 'POST', registration);
    const proxy = new CuttingProxy({
      servicePort: () => Number(new URL(this.#service.mqttUrl).port),
      generation: () => this.#service.generation,
    });
    const proxyPort = await proxy.start();
    const random = new SeededRandom(this.#random.next() * 2 ** 32);
    return { deviceId: registration.device_id, secret: credentials.secret, proxy, proxyPort, random };
  }

  /** Continues until the work is done and the number of cuts is reached. */
  async #cutRepeatedly(device: RigDevice): Promise<void> {
    const { cuts, cutEveryMs, absentMsMax } = this.#size;
    const random = this.#random;
    while (!this.#isRemoved && !(this.#isWorkDone && cutsOf(this.#devices) >= cuts)) {
      await sleep(random.between(0, 2 * cutEveryMs));
      // Most absences are short; the others are long enough for a start to expire.
      const absentMs = random.chance(0.9) ? random.between(0, 800) : random.between(0, absentMsMax);
      const moment = random.pick(CUT_MOMENTS);
      await device.proxy.cut({ moment, absentMs, isSilent: random.chance(SILENT_SHARE) });
      if (!this.#isRemoved && this.#losingMemory.has(device) && random.chance(MEMORY_LOSS_SHARE))
        device.restartWithoutMemory();
    }
  }

  async #operate(device: RigDevice): Promise<void> {
    const path = `${SILOS}/${device.deviceId}/operations`;
    for (let index = 0; index < this.#size.operationsPerSilo; index++) {
      const isFeed = index % 2 === 0;
      const body = { amount: 3, rate: 90, ...(isFeed ? {} : { target_container: 'cart' }) };
      const key = `${device.deviceId}-${index}`;
      const { operation_id: id } = await this.#post(`${path}/${isFeed ? 'feed' : 'discharge'}`, body, key);
      const isStopRequested = this.#random.chance(0.6);
      if (isStopRequested) {
        await sleep(this.#random.between(0, 1_800));
        await this.#post(`${path}/${id}/stop`);
      }
      const record: OperationRecord = await this.#ended(device, `${path}/${id}`);
      this.#operations.push({ device, record, isStopRequested });
    }
  }

  async #drive(device: RigDevice): Promise<void> {
    const path = `${ROVERS}/${device.deviceId}`;
    for (let index = 0; index < this.#size.missionsPerRover; index++) {
      const key = `${device.deviceId}-${index}`;
      const parameters = { ...HOME };
      const move = { command: 'move_to_coordinates', parameters };
      await this.#post(`${path}/remote/command`, move, `${key}-move`);
      // The end of the move is not waited for, because a lost one times out only after minutes.
      await sleep(this.#random.between(0, 1_000));
      const { mission_id } = await this.#post(`${path}/missions`, TWO_WAYPOINTS, key);
      if (this.#random.chance(0.5)) {
        await sleep(this.#random.between(0, 1_500));
        await this.#halt(device, key);
      } else if (this.#random.chance(0.3)) await this.#post(`${path}/missions/${mission_id}/cancel`);
      this.#missions.push({ device, record: await this.#ended(device, `${path}/missions/${mission_id}`) });
    }
  }

  /** Stops everything with an emergency stop, waits for the device to confirm, and releases the stop after a while. */
  async #halt(device: RigDevice, key: string): Promise<void> {
    const path = `${ROVERS}/${device.deviceId}/remote`;
    const { command_id } = await this.#post(`${path}/command`, { command: 'emergency_stop' }, `${key}-halt`);
    const command: CommandRecord = await this.#ended(device, `${path}/commands/${command_id}`);
    await sleep(1_000);
    const releasedAtMs = Date.now();
    await this.#post(`${path}/command`, { command: 'release_emergency_stop' }, `${key}-release`);
    this.#halts.push({ device, command, releasedAtMs });
  }

  #post(path: string, body?: object, key?: string): ReturnType<CrashingService['ask']> {
    return this.#service.ask(path, 'POST', body, key);
  }

  async #ended(device: RigDevice, path: string): ReturnType<CrashingService['ask']> {
    const untilMs = Date.now() + this.#size.endsWithinMs;
    for (;;) {
      await sleep(POLL_MS);
      const record = await this.#service.ask(path, 'GET');
      if (record.ended_at !== null) return record;
      if (Date.now() > untilMs) {
        const received = device.log.received.slice(-RECEIVED_SHOWN);
        throw new Error(`never ended: ${JSON.stringify({ record, received })}`);
      }
    }
  }
}

export const cutsOf = (devices: readonly RigDevice[]): number =>
  devices.reduce((sum, { proxy }) => sum + proxy.cuts, 0);
