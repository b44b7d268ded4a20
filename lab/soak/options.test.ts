import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readOptions } from './options.ts';

const FAULTS = ['kill-node', 'dump'];
const textOf = (args: readonly string[]): string => {
  const read = readOptions(args, FAULTS);
  return 'text' in read ? `${read.exitCode} ${read.text}` : '';
};

it('without arguments a run has every fault, 500 devices and 20 minutes', () => {
  assert.deepEqual(readOptions([], FAULTS), {
    minutes: 20,
    devices: 500,
    faults: FAULTS,
    save: false,
    logFolder: null,
  });
  assert.deepEqual(readOptions(['--minutes', '0.5', '--devices', '20', '--only', 'dump'], FAULTS), {
    minutes: 0.5,
    devices: 20,
    faults: ['dump'],
    save: false,
    logFolder: null,
  });
});

it('wrong arguments are explained, and help is not an error', () => {
  assert.match(textOf(['--help']), /^0 npm run soak .*kill-node, dump/s);
  assert.match(textOf(['--only', 'flood']), /^2 there is no fault flood/);
  assert.match(textOf(['--save', '--only', 'dump']), /^2 --save needs every fault/);
  assert.match(textOf(['--minutes', 'x']), /^2 --minutes/);
  assert.match(textOf(['--devices', '3']), /^2 --devices/);
  assert.match(textOf(['--depth']), /^2 Unknown option/);
});
