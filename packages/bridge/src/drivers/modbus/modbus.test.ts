import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import { mappingOf, Polling, QUIET_PARTS, TestDevice } from '@granary/testing/bridge/modbus-rig';
import fc from 'fast-check';
import type { AttachedDevice } from '../driver.ts';
import { AnswerReader, crc16, dataOf, frameOf, requestFrame } from './frame.ts';
import { parseLineAddress } from './line.ts';
import { readDevice } from './modbus.ts';

const WEIGHT = mappingOf('  weight: {at: 0, type: u32, unit: kg, sensor: weight, every: 100ms}');

/** The limits of tests in which no answer shall be late. */
const PATIENT = '{timeout: 5s}';
const PATIENT_WEIGHT = mappingOf(
  '  weight: {at: 0, type: u32, unit: kg, sensor: weight, every: 100ms}',
  PATIENT,
);

const attached = (
  endpoint: string,
  id = 'silo-1',
  unit: number | null = 1,
  mapping = WEIGHT,
): AttachedDevice => ({
  id,
  mapping,
  endpoint,
  unit,
  options: {},
});

const registers = (...words: number[]): Buffer => {
  const bytes = Buffer.alloc(2 * words.length);
  for (const [index, word] of words.entries()) bytes.writeUInt16BE(word, 2 * index);
  return bytes;
};

async function deviceOf(t: TestContext, answer: TestDevice['answer']): Promise<TestDevice> {
  const device = new TestDevice(answer);
  await device.start(t);
  return device;
}

test('frames of the Modbus documents', () => {
  assert.equal(
    requestFrame('rtu', 0, 17, { functionCode: 3, at: 0x6b, count: 3 }).toString('hex'),
    '1103006b00037687',
  );
  assert.equal(
    requestFrame('tcp', 1, 17, { functionCode: 3, at: 0x6b, count: 3 }).toString('hex'),
    '0001000000061103006b0003',
  );
  assert.equal(crc16(Buffer.from('1103006b0003', 'hex'), 6), 0x8776);
});

test('answers arrive whole, however the bytes are divided', () => {
  const frames = fc.array(
    fc.record({
      unit: fc.integer({ min: 0, max: 255 }),
      words: fc.array(fc.integer({ min: 0, max: 65_535 }), { minLength: 1, maxLength: 20 }),
    }),
    { minLength: 1, maxLength: 5 },
  );
  fc.assert(
    fc.property(
      fc.constantFrom('tcp' as const, 'rtu' as const),
      frames,
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
      (framing, list, cuts) => {
        const pdus = list.map(({ words }) =>
          Buffer.concat([Buffer.from([3, 2 * words.length]), registers(...words)]),
        );
        const bytes = Buffer.concat(
          list.map(({ unit }, index) =>
            frameOf(framing, { transaction: 7, unit, pdu: pdus[index] as Buffer }),
          ),
        );
        const reader = new AnswerReader(framing);
        const found: Buffer[] = [];
        for (let at = 0, cut = 0; at < bytes.length; cut += 1) {
          const size = cuts[cut % cuts.length] ?? 1;
          found.push(...reader.push(bytes.subarray(at, at + size)).map(({ pdu }) => Buffer.from(pdu)));
          at += size;
        }
        assert.deepEqual(found, pdus);
      },
    ),
  );
});

test('only an answer to exactly this request is accepted', () => {
  const request = { functionCode: 3, at: 0, count: 2 };
  const answer =
    (hex: string, unit = 5) =>
    () =>
      dataOf(request, 5, { transaction: 0, unit, pdu: Buffer.from(hex, 'hex') });
  assert.equal(answer('030400010002')().toString('hex'), '00010002');
  assert.throws(answer('030400010002', 6), {
    code: 'wrong_unit',
    message: 'unit 6 answered instead of unit 5',
  });
  assert.throws(answer('03020001'), { code: 'malformed', message: '2 bytes of data instead of 4' });
  assert.throws(answer('03040001'), { code: 'malformed' });
  assert.throws(answer('040400010002'), { code: 'malformed' });
  assert.throws(answer('8302'), { code: 'exception', message: 'exception 2, illegal data address' });
  // A gateway reports with this exception that a unit behind it is silent.
  assert.throws(answer('830b'), { code: 'timeout' });
  assert.throws(answer('83'), { code: 'malformed' });
});

test('endpoints', () => {
  assert.deepEqual(parseLineAddress('tcp://10.0.4.20'), { kind: 'tcp', host: '10.0.4.20', port: 502 });
  assert.deepEqual(parseLineAddress('rtu+tcp://[::1]:4001'), { kind: 'rtu+tcp', host: '::1', port: 4001 });
  assert.deepEqual(parseLineAddress('serial:///dev/ttyUSB0?baud=19200&parity=even&stop=2'), {
    kind: 'serial',
    path: '/dev/ttyUSB0',
    baud: 19_200,
    parity: 'even',
    stopBits: 2,
  });
  for (const wrong of [
    '',
    'x',
    'tcp://',
    'http://a',
    'serial:///dev/tty?parity=mark',
    'serial:///dev/tty?baud=fast',
    'serial:',
  ])
    assert.throws(() => parseLineAddress(wrong), /is no endpoint of Modbus: use tcp/);
});

test('a device is polled, and a failed read never repeats the old value', async (t) => {
  let value = 1_000;
  const device = await deviceOf(t, () => registers(0, value));
  const polling = new Polling(t, [attached(device.endpoint, 'silo-1', 1, PATIENT_WEIGHT)]);
  await polling.start();
  assert.deepEqual((await polling.nextSample()).values, [
    {
      point: 'weight',
      sensor: 'weight',
      raw: '000003e8',
      value: 1_000,
      unit: 'kg',
      quality: 'good',
      reason: null,
    },
  ]);
  value = 2_000;
  await polling.nextSample();
  assert.equal((await polling.nextSample()).values[0]?.value, 2_000);
  device.answer = () => 4;
  await polling.until(() => polling.failures.length > 0);
  const { length } = polling.samples;
  await polling.until(() => polling.failures.length > 3);
  assert.equal(polling.samples.length, length);
  assert.deepEqual(polling.failures[0], {
    deviceId: 'silo-1',
    code: 'exception',
    detail: 'exception 4, server device failure',
    points: ['weight'],
  });
  // The device refuses the request, so it is online.
  assert.equal(polling.health()[0]?.state, 'answering');
});

test('a refusal of one request leaves the values of the others', async (t) => {
  const mapping = mappingOf(
    '  a: {at: 0, type: u16, every: 100ms}\n  b: {at: 50, type: u16, every: 100ms}\n  c: {at: 90, type: u16, every: 100ms, bad_when: [{point: b, is: 0}]}',
    PATIENT,
  );
  const device = await deviceOf(t, (_, { at }) => (at === 50 ? 2 : registers(at)));
  const polling = new Polling(t, [attached(device.endpoint, 'silo-1', 1, mapping)]);
  await polling.start();
  const { values } = await polling.nextSample();
  // The value that decides about c is not known, so c has no value either.
  assert.deepEqual(
    values.map(({ point, value }) => [point, value]),
    [['a', 0]],
  );
  await polling.until(() => polling.failures.length > 0);
  assert.deepEqual(polling.failures[0]?.points, ['b', 'c']);
});

test('one request at a time, whatever the number of units, and each in its own slot', async (t) => {
  let [open, most] = [0, 0];
  const device = new TestDevice((_, { count }) => Buffer.alloc(2 * count));
  await device.start(t);
  const answer = device.answer;
  device.answer = (unit, request) => {
    open += 1;
    most = Math.max(most, open);
    setImmediate(() => {
      open -= 1;
    });
    return answer(unit, request);
  };
  const units = Array.from({ length: 20 }, (_, index) =>
    attached(device.endpoint, `silo-${index}`, index + 1, PATIENT_WEIGHT),
  );
  const polling = new Polling(t, units);
  await polling.start();
  await polling.until(() => polling.samples.length >= 200);
  assert.equal(most, 1);
  assert.equal(device.sockets.size, 1);
  assert.deepEqual(new Set(polling.samples.slice(0, 40).map(({ deviceId }) => deviceId)).size, 20);
});

/** Returns the smallest share of polls of nine units beside one unit that never answers. */
async function shareBesideDeadUnit(t: TestContext): Promise<number> {
  const mapping = mappingOf(
    '  weight: {at: 0, type: u32, unit: kg, sensor: weight, every: 200ms}',
    '{timeout: 150ms}',
  );
  const device = await deviceOf(t, (unit, { count }) => (unit === 4 ? null : Buffer.alloc(2 * count)));
  const units = Array.from({ length: 10 }, (_, index) =>
    attached(device.endpoint, `unit-${index + 1}`, index + 1, mapping),
  );
  const polling = new Polling(t, units);
  const startedMs = performance.now();
  await polling.start();
  await polling.until(() => performance.now() - startedMs > 5_000);
  const slots = (performance.now() - startedMs) / 200;
  await polling.stop();
  const dead = polling.health().find(({ deviceId }) => deviceId === 'unit-4');
  assert.equal(dead?.state, 'silent');
  assert.ok(
    dead.breaker.open && dead.counters.timeouts <= 5 && dead.counters.skipped > 10,
    JSON.stringify(dead),
  );
  assert.equal(device.sockets.size <= 1, true);
  const counts = Map.groupBy(polling.samples, ({ deviceId }) => deviceId);
  const others = units.filter(({ unit }) => unit !== 4).map(({ id }) => counts.get(id)?.length ?? 0);
  // The first and the last slot are not complete.
  return (Math.min(...others) + 1) / slots;
}

test('one dead unit of ten: the others keep their polls', async (t) => {
  let best = 0;
  // A busy machine may itself be late.
  for (let attempt = 0; attempt < 3 && best < 0.95; attempt += 1)
    best = Math.max(best, await shareBesideDeadUnit(t));
  assert.ok(best >= 0.95, `${best}`);
});

test('a request that a device leaves unanswered does not silence its others', async (t) => {
  const mapping = mappingOf(
    '  a: {at: 0, type: u16, every: 100ms}\n  b: {at: 50, type: u16, every: 100ms}',
    '{timeout: 80ms}',
  );
  const device = await deviceOf(t, (_, { at }) => (at === 0 ? null : registers(at)));
  const polling = new Polling(t, [attached(device.endpoint, 'silo-1', 1, mapping)]);
  await polling.start();
  await polling.until(() => polling.samples.length >= 10);
  assert.ok((polling.health()[0]?.counters.timeouts ?? 99) <= 4);
  assert.equal(polling.health()[0]?.state, 'answering');
  assert.ok(polling.failures.every(({ points }) => points.includes('a')));
});

test('answers of another unit, and of a wrong length, are failures', async (t) => {
  const mode = { wrong: 'unit' };
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (bytes: Buffer) => {
      const transaction = bytes.readUInt16BE(0);
      const unit = bytes.readUInt8(6) + (mode.wrong === 'unit' ? 1 : 0);
      const data = mode.wrong === 'length' ? registers(9) : registers(0, 9);
      socket.write(
        frameOf('tcp', { transaction, unit, pdu: Buffer.concat([Buffer.from([3, data.length]), data]) }),
      );
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const polling = new Polling(t, [attached(`tcp://127.0.0.1:${(server.address() as AddressInfo).port}`)]);
  await polling.start();
  await polling.until(() => polling.failures.length > 0);
  assert.equal(polling.failures[0]?.code, 'wrong_unit');
  mode.wrong = 'length';
  await polling.until(() => polling.failures.some(({ code }) => code === 'malformed'));
  assert.deepEqual(polling.samples, []);
  // Nobody knows whether the device itself is online, so it is not shown as online.
  await polling.until(() => polling.health()[0]?.state === 'silent');
  mode.wrong = 'nothing';
  assert.equal((await polling.nextSample()).values[0]?.value, 9);
  assert.equal(polling.health()[0]?.state, 'answering');
});

test('half an answer is never completed with the beginning of the next one', async (t) => {
  const peer = { isHalf: true, connections: 0 };
  const server = createServer((socket) => {
    peer.connections += 1;
    socket.on('error', () => undefined);
    socket.on('data', (bytes: Buffer) => {
      const transaction = bytes.readUInt16BE(0);
      const pdu = Buffer.concat([Buffer.from([3, 4]), registers(0, 9)]);
      const answer = (to: number) => frameOf('tcp', { transaction: to, unit: bytes.readUInt8(6), pdu });
      // This sends everything but the value, with the number of the next request; later answers arrive in two parts.
      if (peer.isHalf) socket.write(answer(transaction + 1).subarray(0, 9));
      else {
        socket.write(answer(transaction).subarray(0, 4));
        setTimeout(() => socket.write(answer(transaction).subarray(4)), 20);
      }
      peer.isHalf = false;
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const polling = new Polling(t, [attached(`tcp://127.0.0.1:${(server.address() as AddressInfo).port}`)]);
  await polling.start();
  assert.equal((await polling.nextSample()).values[0]?.value, 9);
  assert.deepEqual([polling.failures[0]?.code, peer.connections], ['timeout', 2]);
});

test('a connection that is cut in the middle of a poll is made anew', async (t) => {
  const mapping = mappingOf(
    '  weight: {at: 0, type: u16, unit: kg, sensor: weight, every: 100ms}\n  other: {at: 50, type: u16, every: 100ms}',
  );
  let cuts = 0;
  const device = await deviceOf(t, (_, { at, count }) => {
    if (at === 50 && cuts < 2) {
      cuts += 1;
      device.reset();
      return null;
    }
    return Buffer.alloc(2 * count);
  });
  const polling = new Polling(t, [attached(device.endpoint, 'silo-1', 1, mapping)]);
  await polling.start();
  await polling.until(() => cuts === 2);
  const returnedMs = performance.now();
  await polling.until(() => polling.samples.at(-1)?.values.length === 2);
  assert.ok(performance.now() - returnedMs <= 5_000);
  assert.equal(polling.health()[0]?.state, 'answering');
});

test('a peer that never stops sending answers is a failure, and the device is back afterwards', async (t) => {
  const stray = frameOf('tcp', { transaction: 0xfffe, unit: 1, pdu: Buffer.from([3, 4, 0, 0, 0, 8]) });
  const noise = Buffer.concat(Array.from({ length: 50 }, () => stray));
  const peer = { isNoisy: true, connections: 0 };
  const server = createServer((socket) => {
    peer.connections += 1;
    socket.on('error', () => undefined);
    const timer = setInterval(() => {
      if (peer.isNoisy) socket.write(noise);
    }, 1);
    socket.on('close', () => clearInterval(timer));
    socket.on('data', (bytes: Buffer) => {
      if (peer.isNoisy) return;
      const pdu = Buffer.concat([Buffer.from([3, 4]), registers(0, 9)]);
      socket.write(frameOf('tcp', { transaction: bytes.readUInt16BE(0), unit: bytes.readUInt8(6), pdu }));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const polling = new Polling(t, [attached(`tcp://127.0.0.1:${(server.address() as AddressInfo).port}`)]);
  await polling.start();
  await polling.until(() => polling.failures.some(({ detail }) => /nobody has asked/.test(detail)));
  await polling.until(() => polling.health()[0]?.state === 'silent');
  assert.deepEqual(polling.samples, []);
  peer.isNoisy = false;
  assert.equal((await polling.nextSample()).values[0]?.value, 9);
  assert.ok(peer.connections > 1);
});

/** Opens a serial line whose device answers each request with this delay, in order. */
async function slowLine(t: TestContext, delayMs: () => number): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    let atMs = 0;
    socket.on('data', (bytes: Buffer) => {
      atMs = Math.max(atMs, performance.now() + delayMs());
      const answer = frameOf('rtu', {
        transaction: 0,
        unit: bytes.readUInt8(0),
        pdu: Buffer.concat([Buffer.from([3, 2]), registers(bytes.readUInt16BE(2))]),
      });
      setTimeout(() => socket.write(answer), atMs - performance.now());
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return `rtu+tcp://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('a serial line: an answer that is later than the next request is never taken for its value', async (t) => {
  const mapping = mappingOf(
    [7, 50, 90].map((at) => `  r${at}: {at: ${at}, type: u16, every: 100ms}`).join('\n'),
    '{timeout: 100ms}',
  );
  const isNeverWrong = async (lateMs: number): Promise<void> => {
    let isLate = false;
    const endpoint = await slowLine(t, () => (isLate ? lateMs : 2));
    const polling = new Polling(t, [attached(endpoint, 'silo-1', 1, mapping)]);
    await polling.start();
    for (let round = 0; round < 2; round += 1) {
      isLate = false;
      const { length: before } = polling.samples;
      await polling.until(() => polling.samples.slice(before).some(({ values }) => values.length === 3));
      isLate = true;
      const { length } = polling.failures;
      await polling.until(() => polling.failures.length > length + 2);
    }
    await polling.stop();
    for (const { values } of polling.samples)
      for (const { point, value } of values) assert.equal(point, `r${value}`, `${lateMs} ms late`);
  };
  await Promise.all([120, 180, 210, 230, 260, 290].map(isNeverWrong));
});

test('a device that was exchanged for another model gives no value as good', async (t) => {
  const mapping = mappingOf(
    '  model: {at: 0, type: u16, every: 100ms}\n  weight: {at: 1, type: u16, unit: kg, sensor: weight, every: 100ms, range: [0, 60000]}',
    '{timeout: 5s, valid_when: [{point: model, is: [900, 901]}]}',
  );
  const device = await deviceOf(t, () => registers(900, 1_234));
  const polling = new Polling(t, [attached(device.endpoint, 'silo-1', 1, mapping)]);
  await polling.start();
  const weight = async () => {
    const { values } = await polling.nextSample();
    const found = values.find(({ point }) => point === 'weight');
    return [found?.value, found?.quality, found?.reason];
  };
  assert.deepEqual(await weight(), [1_234, 'good', null]);
  await device.away();
  // The registers of the other model have other meanings, and its number would be plausible.
  device.answer = () => registers(310, 4_321);
  await device.listen();
  await polling.until(() => polling.samples.at(-1)?.values[0]?.value === 310);
  assert.deepEqual(await weight(), [4_321, 'bad', 'bad_status']);
  // A model with fewer registers refuses, and no old value is repeated.
  device.answer = () => 2;
  await polling.until(() => polling.failures.at(-1)?.code === 'exception');
  const { length } = polling.samples;
  await polling.until(() => polling.failures.length > 3);
  assert.ok(polling.samples.length <= length + 1);
});

/** Returns the time from the return of the device until its values arrived again. */
async function recoveryMs(
  device: TestDevice,
  polling: Polling,
  cut: (device: TestDevice) => Promise<() => Promise<void>>,
): Promise<number> {
  await polling.nextSample();
  const { length } = polling.failures;
  const repair = await cut(device);
  await polling.until(() => polling.failures.length > length && polling.health()[0]?.state === 'silent');
  await repair();
  const returnedMs = performance.now();
  await polling.nextSample();
  return performance.now() - returnedMs;
}

const CUTS: Readonly<Record<string, (device: TestDevice) => Promise<() => Promise<void>>>> = {
  reset: async (device) => {
    await device.away();
    return () => device.listen();
  },
  silence: async (device) => {
    const { answer } = device;
    device.answer = () => null;
    return async () => {
      device.answer = answer;
    };
  },
  'half-open': (device) => {
    device.forget();
    return Promise.resolve(() => Promise.resolve());
  },
  refused: async (device) => {
    await device.away();
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    return () => device.listen();
  },
};

for (const [name, cut] of Object.entries(CUTS)) {
  test(`${name}: the device is back within five seconds`, async (t) => {
    const device = await deviceOf(t, (_, { count }) => Buffer.alloc(2 * count));
    const polling = new Polling(t, [attached(device.endpoint)]);
    await polling.start();
    for (let round = 0; round < 2; round += 1) {
      const ms = await recoveryMs(device, polling, cut);
      assert.ok(ms <= 5_000, `${ms} ms`);
    }
  });
}

test('a device that is not there is refused in plain words', async () => {
  await assert.rejects(readDevice(attached('tcp://127.0.0.1:1'), QUIET_PARTS), {
    code: 'connection_refused',
  });
  await assert.rejects(readDevice(attached('tcp://no-such-host.invalid:502'), QUIET_PARTS), {
    code: 'not_resolved',
  });
  await assert.rejects(readDevice(attached('serial:///dev/no-such-line'), QUIET_PARTS), {
    code: 'connection_refused',
  });
});
