import { readFileSync } from 'node:fs';
import type { DriverParts } from '@granary/bridge/drivers/driver';
import { modbus } from '@granary/bridge/drivers/modbus/modbus';
import { phaseOf } from '@granary/bridge/endpoint/poll-grid';
import { readMapping } from '@granary/bridge/mapping/read-mapping';

/** The load of a bridge in its own process, which polls the endpoints of a file and prints the figures. */
interface Load {
  readonly mapping: string;
  readonly endpoints: readonly string[];
  readonly seconds: number;
  readonly periodMs: number;
}

const WARM_UP_MS = 5_000;
const {
  mapping: text,
  endpoints,
  seconds,
  periodMs,
} = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Load;
const outcome = readMapping(text);
if ('faults' in outcome) throw new Error(JSON.stringify(outcome.faults));
const devices = endpoints.map((endpoint, index) => ({
  id: `device-${index}`,
  mapping: outcome.mapping,
  endpoint,
  unit: 1,
  options: {},
}));
const lateMs: number[] = [];
let [samples, values, failures] = [0, 0, 0];
let isMeasuring = false;

const driver = modbus.makeDriver(
  devices,
  {
    sample: ({ deviceId, atMs, roundTripMs, values: points }) => {
      if (!isMeasuring) return;
      samples += 1;
      values += points.length;
      const startedMs = atMs - (roundTripMs ?? 0);
      lateMs.push((((startedMs - phaseOf(deviceId, periodMs)) % periodMs) + periodMs) % periodMs);
    },
    failed: () => {
      failures += 1;
    },
  },
  {
    now: () => performance.timeOrigin + performance.now(),
    log: () => undefined,
    credentials: () => null,
  } satisfies DriverParts,
);
await driver.start();
await new Promise((resolve) => setTimeout(resolve, WARM_UP_MS));
isMeasuring = true;
const before = process.cpuUsage();
const startedMs = performance.now();
await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
const { user, system } = process.cpuUsage(before);
const tookMs = performance.now() - startedMs;
await driver.stop();
// A poll that begins just before its slot, because the clock is rounded, is not late.
const late = lateMs.map((ms) => (ms > periodMs - 2 ? 0 : ms)).sort((one, other) => one - other);
console.log(
  JSON.stringify({
    cores: (user + system) / 1_000 / tookMs,
    residentMiB: process.memoryUsage.rss() / 2 ** 20,
    samples,
    values,
    failures,
    expected: (tookMs / periodMs) * devices.length,
    lateP50Ms: late[Math.floor(late.length * 0.5)],
    lateP99Ms: late[Math.floor(late.length * 0.99)],
  }),
);
