import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { AttachedDevice, DriverParts } from '@granary/bridge/drivers/driver';
import { modbus } from '@granary/bridge/drivers/modbus/modbus';
import { readMapping } from '@granary/bridge/mapping/read-mapping';
import { mappingOf, TestDevice } from '@granary/testing/bridge/modbus-rig';
import { type Finding, percentile, whole } from './report.ts';

const DEVICES = 500;
const POINTS = 30;
const PERIOD_MS = 1_000;
const SECONDS = 60;
const CORES_MAX = 0.5;
const MIB_MAX = 250;
const LATE_MS_MAX = 25;
const UNITS = 10;
const SHARE_MIN = 0.95;
const CUTS = 1_000;
const CUT_DEVICES = 100;
const RECOVERY_MS_MAX = 5_000;
const PARTS: DriverParts = { now: Date.now, log: () => undefined, credentials: () => null };

const MAPPING = `mapping: measured
version: 1
title: A measured device
source: this benchmark
evidence: peer
protocol: modbus
defaults: {timeout: 1s, every: 1s}
points:
  value: {at: 0, count: ${POINTS}, type: u16, unit: kg, sensor: "value{n}"}
`;

/** Measures Modbus devices: the cost of polling 500 of them, a dead unit among ten, and cut connections. */
export async function measureBridge(dataDir: string): Promise<Finding[]> {
  return [...(await measureScale(dataDir)), await measureDeadUnit(), await measureCuts()];
}

const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

interface Taken {
  readonly cores: number;
  readonly residentMiB: number;
  readonly samples: number;
  readonly values: number;
  readonly failures: number;
  readonly expected: number;
  readonly lateP50Ms: number;
  readonly lateP99Ms: number;
}

async function measureScale(dataDir: string): Promise<Finding[]> {
  const devices = spawn(process.execPath, [pathOf('./bridge-devices.ts'), String(DEVICES)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [line] = (await once(createInterface({ input: devices.stdout }), 'line')) as [string];
    const endpoints = (JSON.parse(line) as number[]).map((port) => `tcp://127.0.0.1:${port}`);
    const file = join(dataDir, 'load.json');
    await writeFile(
      file,
      JSON.stringify({ mapping: MAPPING, endpoints, seconds: SECONDS, periodMs: PERIOD_MS }),
    );
    const { stdout } = await promisify(execFile)(process.execPath, [pathOf('./bridge-process.ts'), file]);
    const taken = JSON.parse(stdout) as Taken;
    const share = taken.samples / taken.expected;
    const load = `${DEVICES} Modbus TCP devices of jsmodbus × ${POINTS} points × 1 s for ${SECONDS} s`;
    return [
      {
        name: 'Bridge: 500 Modbus devices',
        target: `at most ${CORES_MAX} core and ${MIB_MAX} MiB`,
        figure: `${taken.cores.toFixed(2)} core, ${whole(taken.residentMiB)} MiB`,
        met: taken.cores <= CORES_MAX && taken.residentMiB <= MIB_MAX && share > 0.99,
        detail: `${load}; ${whole(taken.values / SECONDS)} values/s, ${(100 * share).toFixed(2)} % of the polls, ${taken.failures} failures`,
      },
      {
        name: 'Bridge: lateness of polls',
        target: `p99 at most ${LATE_MS_MAX} ms`,
        figure: `p99 ${taken.lateP99Ms.toFixed(1)} ms`,
        met: taken.lateP99Ms <= LATE_MS_MAX,
        detail: `${load}; each poll against its slot of the grid, which never moves; median ${taken.lateP50Ms.toFixed(1)} ms`,
      },
    ];
  } finally {
    devices.kill();
  }
}

const deviceAt = (
  endpoint: string,
  id: string,
  unit: number,
  mapping: AttachedDevice['mapping'],
): AttachedDevice => ({
  id,
  mapping,
  endpoint,
  unit,
  options: {},
});

async function measureDeadUnit(): Promise<Finding> {
  const outcome = readMapping(MAPPING);
  if ('faults' in outcome) throw new Error('the mapping of the benchmark has faults');
  const gateway = new TestDevice((unit, { count }) => (unit === 4 ? null : Buffer.alloc(2 * count)));
  await gateway.listen();
  const polls = new Map<string, number>();
  const units = Array.from({ length: UNITS }, (_, index) =>
    deviceAt(gateway.endpoint, `unit-${index + 1}`, index + 1, outcome.mapping),
  );
  const driver = modbus.makeDriver(
    units,
    {
      sample: ({ deviceId }) => polls.set(deviceId, (polls.get(deviceId) ?? 0) + 1),
      failed: () => undefined,
    },
    PARTS,
  );
  await driver.start();
  await sleep(SECONDS * 1_000);
  await driver.stop();
  await gateway.away();
  const shares = units
    .filter(({ unit }) => unit !== 4)
    .map(({ id }) => (polls.get(id) ?? 0) / (SECONDS * (1_000 / PERIOD_MS)));
  const least = Math.min(...shares);
  return {
    name: 'Bridge: one dead unit of ten',
    target: `the others keep at least ${100 * SHARE_MIN} % of their polls`,
    figure: `${(100 * least).toFixed(1)} %`,
    met: least >= SHARE_MIN,
    detail: `the worst of nine units of a gateway whose tenth never answers, timeout 1 s, a poll every second, ${SECONDS} s from the start of the bridge`,
  };
}

type Cut = (device: TestDevice) => Promise<() => Promise<void>>;

const KINDS: readonly Cut[] = [
  async (device) => {
    await device.away();
    return () => device.listen();
  },
  (device) => {
    const { answer } = device;
    device.answer = () => null;
    return Promise.resolve(() => {
      device.answer = answer;
      return Promise.resolve();
    });
  },
  (device) => {
    const { answer } = device;
    device.forget();
    device.answer = () => null;
    return Promise.resolve(() => {
      device.answer = answer;
      return Promise.resolve();
    });
  },
];
const CUT_MS = [300, 1_500, 4_000];

/** Measures devices that are cut off by a reset, by silence, or half-open, for a short time, many at once. */
async function measureCuts(): Promise<Finding> {
  const mapping = mappingOf(
    '  weight: {at: 0, type: u32, unit: kg, sensor: weight, every: 200ms}',
    '{timeout: 300ms}',
  );
  const recoveriesMs: number[] = [];
  const oneDevice = async (number: number): Promise<void> => {
    const device = new TestDevice();
    await device.listen();
    let came = Promise.withResolvers<void>();
    const driver = modbus.makeDriver(
      [deviceAt(device.endpoint, `cut-${number}`, 1, mapping)],
      { sample: () => came.resolve(), failed: () => undefined },
      PARTS,
    );
    await driver.start();
    for (let round = 0; round < CUTS / CUT_DEVICES; round += 1) {
      came = Promise.withResolvers();
      await came.promise;
      const repair = await (KINDS[(number + round) % KINDS.length] as Cut)(device);
      await sleep(CUT_MS[round % CUT_MS.length]);
      await repair();
      const returnedMs = performance.now();
      came = Promise.withResolvers();
      await came.promise;
      recoveriesMs.push(performance.now() - returnedMs);
    }
    await driver.stop();
    await device.away();
  };
  await Promise.all(Array.from({ length: CUT_DEVICES }, (_, number) => oneDevice(number)));
  const longest = Math.max(...recoveriesMs);
  return {
    name: 'Bridge: recovery after cuts',
    target: `all of ${whole(CUTS)} within ${RECOVERY_MS_MAX / 1_000} s of the return`,
    figure: `${whole(recoveriesMs.length)}, the longest after ${(longest / 1_000).toFixed(2)} s`,
    met: recoveriesMs.length === CUTS && longest <= RECOVERY_MS_MAX,
    detail: `resets with refused connections, silence and half-open connections, of 0.3, 1.5 and 4 s; ${CUT_DEVICES} devices at once; median ${whole(percentile(recoveriesMs, 0.5))} ms`,
  };
}
