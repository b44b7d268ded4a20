import { readFileSync } from 'node:fs';
import { makeDriver } from '@granary/bridge/drivers/mqtt/mqtt-driver';
import { readMapping } from '@granary/bridge/mapping/read-mapping';
import { percentile } from './report.ts';

/** The figures that `case-bridge-messages.ts` requests from the process with the driver. */
export interface BridgeFigures {
  readonly cpuS: number;
  readonly samples: number;
  readonly delayMs: { readonly p99: number };
}

const LIBRARY = new URL('../../packages/bridge/library/json-example.yaml', import.meta.url);
const [, , endpoint = '', count = '0'] = process.argv;

const outcome = readMapping(readFileSync(LIBRARY, 'utf8'));
if ('faults' in outcome) throw new Error('the mapping of the library is wrong');
const { mapping } = outcome;
const devices = Array.from({ length: Number(count) }, (_, index) => ({
  id: `device-${index}`,
  mapping,
  endpoint,
  unit: null,
  options: { address: `device-${index}` },
}));
let samples = 0;
const delaysMs: number[] = [];
const driver = makeDriver(
  devices,
  {
    sample: ({ atMs }) => {
      samples += 1;
      delaysMs.push(Date.now() - atMs);
    },
    failed: () => undefined,
  },
  {
    now: Date.now,
    credentials: () => null,
    log: (_, message) => {
      if (message === 'listens to a broker') process.send?.('ready');
    },
  },
);
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  const figures: BridgeFigures = {
    cpuS: (user + system) / 1e6,
    samples,
    delayMs: { p99: Math.round(percentile(delaysMs, 0.99)) },
  };
  process.send?.(figures);
});
await driver.start();
