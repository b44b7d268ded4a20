import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { modbusServer } from '../drivers/modbus/server.ts';
import { modbusUnits, parseUnits } from './modbus-units.ts';

test('units that answer are found, also with an exception, and silent ones are not', async (t) => {
  const requests: number[] = [];
  const server = modbusServer((unit, { functionCode }) => {
    requests.push(functionCode);
    if (unit === 1) return Buffer.from([0x30, 0x39]);
    if (unit === 2) return functionCode === 4 ? Buffer.from([0, 7]) : 1;
    if (unit === 3) return 2;
    return unit === 4 ? 11 : null;
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const endpoint = `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const answers: string[] = [];
  for await (const { unit, found } of modbusUnits(endpoint, [1, 2, 3, 4, 5], 100))
    answers.push(`${unit} ${found?.answer ?? 'silent'}`);
  assert.deepEqual(answers, [
    '1 holding register 0 is 3039',
    '2 input register 0 is 0007',
    '3 exception 2, illegal data address',
    '4 silent',
    '5 silent',
  ]);
  assert.ok(
    requests.every((code) => code === 3 || code === 4),
    'nothing is written',
  );
});

test('a line that cannot be used is an error', async () => {
  await assert.rejects(async () => {
    for await (const _ of modbusUnits('tcp://127.0.0.1:1', [1], 100));
  });
});

test('lists of units', () => {
  assert.deepEqual(parseUnits('1-3, 7'), [1, 2, 3, 7]);
  for (const text of ['', 'x', '3-1', '1-300', '-1', '1,,2']) assert.equal(parseUnits(text), null, text);
});
