import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import {
  type Manipulation,
  modbusPython,
  pollRead,
  pollWrite,
  pymodbusServer,
  runPeer,
  untilListening,
  untilThere,
} from '@granary/testing/bridge/modbus-peers';
import { mappingOf, Polling, QUIET_PARTS, TestDevice } from '@granary/testing/bridge/modbus-rig';
import { freePort } from '@granary/testing/free-port';
import jsmodbus from 'jsmodbus';
import type { Mapping } from '../../mapping/mapping.ts';
import { type ModbusPlace, ORDERS, type RegisterType, rawAt, WIDTHS } from '../../mapping/modbus-place.ts';
import type { AttachedDevice } from '../driver.ts';
import { readDevice } from './modbus.ts';

const device = (endpoint: string, mapping: Mapping, unit = 1): AttachedDevice => ({
  id: 'device',
  mapping,
  endpoint,
  unit,
  options: {},
});

const valuesOf = async (endpoint: string, mapping: Mapping, unit = 1) => {
  const { values } = await readDevice(device(endpoint, mapping, unit), QUIET_PARTS);
  return Object.fromEntries(values.map(({ point, value }) => [point, value]));
};

/** A program that reads `type order hex` lines and prints how pymodbus and libmodbus decode them. */
const DECODER = `
import ctypes, ctypes.util, json, sys
from pymodbus.payload import BinaryPayloadDecoder
from pymodbus.constants import Endian
library = ctypes.CDLL(ctypes.util.find_library('modbus'))
ORDERS = {'ABCD': (Endian.Big, Endian.Big), 'CDAB': (Endian.Big, Endian.Little), 'BADC': (Endian.Little, Endian.Big), 'DCBA': (Endian.Little, Endian.Little)}
NAMES = {'u16': 'decode_16bit_uint', 'i16': 'decode_16bit_int', 'u32': 'decode_32bit_uint', 'i32': 'decode_32bit_int', 'u64': 'decode_64bit_uint', 'i64': 'decode_64bit_int', 'f32': 'decode_32bit_float', 'f64': 'decode_64bit_float'}
answers = []
for kind, order, text in json.load(sys.stdin):
    raw = bytes.fromhex(text)
    words = [raw[i] << 8 | raw[i + 1] for i in range(0, len(raw), 2)]
    byteorder, wordorder = ORDERS[order]
    decoder = BinaryPayloadDecoder.fromRegisters(words, byteorder=byteorder, wordorder=wordorder)
    answer = [str(getattr(decoder, NAMES[kind])()) if kind[0] != 'f' else getattr(decoder, NAMES[kind])()]
    if kind == 'f32':
        read = getattr(library, 'modbus_get_float_' + order.lower())
        read.restype = ctypes.c_float
        answer.append(read((ctypes.c_uint16 * 2)(*words)))
    answers.append(answer)
print(json.dumps(answers))
`;

const TYPES = [
  'u16',
  'i16',
  'u32',
  'i32',
  'u64',
  'i64',
  'f32',
  'f64',
] as const satisfies readonly RegisterType[];

test('four orders of all types are decoded as by pymodbus and libmodbus', (t) => {
  const python = modbusPython(t);
  if (python === undefined) return;
  const samples = TYPES.flatMap((type) => {
    const bytes = 2 * WIDTHS[type];
    const texts = Array.from({ length: 25 }, (_, index) =>
      Buffer.from(
        Array.from(
          { length: bytes },
          (_, at) => ((index * 37 + at * 59 + index * at * 13) & 0x7e) | (at % 2),
        ),
      ).toString('hex'),
    );
    return ORDERS.flatMap((order) => texts.map((hex) => [type, order, hex] as const));
  });
  const answers = JSON.parse(
    execFileSync(python, ['-c', DECODER], { input: JSON.stringify(samples) }).toString(),
  );
  assert.equal(answers.length, TYPES.length * ORDERS.length * 25);
  for (const [index, [type, order, hex]] of samples.entries()) {
    const place: ModbusPlace = {
      table: 'holding',
      at: 0,
      width: WIDTHS[type],
      type,
      order,
      mask: null,
      isAlone: false,
    };
    const ours = rawAt(place, Buffer.from(hex, 'hex'), 0).is;
    for (const theirs of answers[index]) {
      const expected = typeof theirs === 'string' ? theirs : Number(theirs);
      assert.equal(typeof expected === 'string' ? String(ours) : ours, expected, `${type} ${order} ${hex}`);
    }
  }
});

const SCALE = mappingOf(
  '  weight: {at: 10, type: i32, unit: kg, sensor: weight, every: 100ms}\n  state: {at: 20, type: bits, bits: {0: fault}, every: 100ms}',
  '{timeout: 1s, gap: 10}',
);

test('the server of pymodbus, with errors, delays, silence and stray bytes', async (t) => {
  const python = modbusPython(t);
  if (python === undefined) return;
  const [port, webPort] = [await freePort(), await freePort()];
  const manipulate = await pymodbusServer(t, python, port, webPort);
  await pollWrite(port, 1, 10, [0, 12_345]);
  const polling = new Polling(t, [device(`tcp://127.0.0.1:${port}`, SCALE)]);
  await polling.start();
  const isGood = async () => {
    const { values } = await polling.nextSample();
    assert.deepEqual(
      values.map(({ value }) => value),
      [12_345, 0],
    );
  };
  await isGood();
  const faults: readonly (readonly [Manipulation, RegExp])[] = [
    [{ response_type: 'error', error_code: 4 }, /^exception$/],
    [{ response_type: 'empty' }, /^timeout$/],
    [{ response_type: 'delayed', delay_by: 1.5 }, /^timeout$/],
    [{ response_type: 'stray', data_len: 30 }, /^(malformed|timeout|connection_lost)$/],
  ];
  for (const [how, code] of faults) {
    const { length } = polling.failures;
    await manipulate(how);
    await polling.until(() => polling.failures.length > length + 1);
    await manipulate({ response_type: 'normal' });
    assert.match(polling.failures.at(-1)?.code ?? '', code, how.response_type);
    // A late or stray answer never counts as a value: every value that arrives is the stored one.
    for (let count = 0; count < 5; count += 1) await isGood();
  }
});

/** A server with ten units of pymodbus behind one port; the fourth is missing, and the gateway reports this or is silent. */
const GATEWAY = `
import asyncio, sys
from pymodbus.datastore import ModbusSequentialDataBlock, ModbusServerContext, ModbusSlaveContext
from pymodbus.server import StartAsyncTcpServer
units = {unit: ModbusSlaveContext(hr=ModbusSequentialDataBlock(0, [0, unit] * 20), zero_mode=True) for unit in range(1, 11) if unit != 4}
asyncio.run(StartAsyncTcpServer(ModbusServerContext(slaves=units, single=False), address=('127.0.0.1', int(sys.argv[1])),
    ignore_missing_slaves=sys.argv[2] == 'silent', allow_reuse_address=True))
`;
const UNIT = mappingOf(
  '  weight: {at: 0, type: u32, unit: kg, sensor: weight, every: 200ms}',
  '{timeout: 150ms}',
);
const unitsAt = (port: number): AttachedDevice[] =>
  Array.from({ length: 10 }, (_, index) => ({
    ...device(`tcp://127.0.0.1:${port}`, UNIT, index + 1),
    id: `unit-${index + 1}`,
  }));
const POLLING_MS = 5_000;

for (const mode of ['silent', 'refused']) {
  test(`a gateway of pymodbus with a dead unit of ten, ${mode}: the others keep their polls`, async (t) => {
    const python = modbusPython(t);
    if (python === undefined) return;
    const port = await freePort();
    runPeer(t, python, ['-c', GATEWAY, String(port), mode]);
    await untilListening(port);
    let best = 0;
    // A busy machine may itself be late.
    for (let attempt = 0; attempt < 3 && best < 0.95; attempt += 1) {
      const polling = new Polling(t, unitsAt(port));
      await polling.start();
      const startedMs = performance.now();
      await polling.until(() => performance.now() - startedMs > POLLING_MS);
      const slots = (performance.now() - startedMs) / 200;
      await polling.stop();
      for (const { deviceId, values } of polling.samples) assert.equal(`unit-${values[0]?.value}`, deviceId);
      assert.equal(polling.health()[3]?.state, 'silent');
      const counts = Map.groupBy(polling.samples, ({ deviceId }) => deviceId);
      const others = unitsAt(port).flatMap(({ id }) =>
        id === 'unit-4' ? [] : (counts.get(id)?.length ?? 0),
      );
      best = Math.max(best, (Math.min(...others) + 1) / slots);
    }
    assert.ok(best >= 0.95, `${best}`);
  });
}

test('a gateway of pymodbus that is killed, or stands still, and is there again', async (t) => {
  const python = modbusPython(t);
  if (python === undefined) return;
  const port = await freePort();
  const started = async () => {
    const child = runPeer(t, python, ['-c', GATEWAY, String(port), 'silent']);
    await untilListening(port);
    return child;
  };
  let gateway = await started();
  const polling = new Polling(t, unitsAt(port).slice(0, 3));
  await polling.start();
  const cuts = [
    async () => {
      gateway.kill('SIGKILL');
      await once(gateway, 'exit');
      return async () => {
        gateway = await started();
      };
    },
    async () => {
      gateway.kill('SIGSTOP');
      return async () => void gateway.kill('SIGCONT');
    },
  ];
  for (const cut of [...cuts, ...cuts]) {
    await polling.nextSample();
    const repair = await cut();
    await polling.until(() => polling.health().every(({ state }) => state === 'silent'));
    const { length } = polling.samples;
    await repair();
    const returnedMs = performance.now();
    const isBack = (id: string) => polling.samples.slice(length).some(({ deviceId }) => deviceId === id);
    await polling.until(() => ['unit-1', 'unit-2', 'unit-3'].every(isBack));
    assert.ok(performance.now() - returnedMs <= 5_000, `${performance.now() - returnedMs} ms`);
    for (const { deviceId, values } of polling.samples) assert.equal(`unit-${values[0]?.value}`, deviceId);
  }
});

/** A program that runs a server of libmodbus from Python. */
const LIBMODBUS_SERVER = `
import ctypes, ctypes.util, struct, sys
library = ctypes.CDLL(ctypes.util.find_library('modbus'))
library.modbus_new_tcp.restype = ctypes.c_void_p
library.modbus_mapping_new.restype = ctypes.c_void_p
class Mapping(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int) for name in ('nb_bits', 'start_bits', 'nb_input_bits', 'start_input_bits', 'nb_input_registers', 'start_input_registers', 'nb_registers', 'start_registers')] + [('tab_bits', ctypes.POINTER(ctypes.c_uint8)), ('tab_input_bits', ctypes.POINTER(ctypes.c_uint8)), ('tab_input_registers', ctypes.POINTER(ctypes.c_uint16)), ('tab_registers', ctypes.POINTER(ctypes.c_uint16))]
library.modbus_new_rtu.restype = ctypes.c_void_p
is_serial = sys.argv[1].startswith('/')
context = ctypes.c_void_p(
    library.modbus_new_rtu(sys.argv[1].encode(), 19200, ctypes.c_char(b'N'), 8, 1)
    if is_serial else library.modbus_new_tcp(b'127.0.0.1', int(sys.argv[1])))
mapping = ctypes.c_void_p(library.modbus_mapping_new(50, 50, 200, 200))
tables = Mapping.from_address(mapping.value)
a, b, c, d = struct.pack('>f', -12.375)
for index, (one, two) in enumerate((((a, b), (c, d)), ((c, d), (a, b)), ((b, a), (d, c)), ((d, c), (b, a)))):
    tables.tab_registers[2 * index], tables.tab_registers[2 * index + 1] = one[0] << 8 | one[1], two[0] << 8 | two[1]
for index in range(150):
    tables.tab_input_registers[index] = index
for index in (0, 9, 10):
    tables.tab_bits[index] = 1
tables.tab_input_bits[17] = 1
query = (ctypes.c_uint8 * 260)()
if is_serial:
    library.modbus_set_slave(context, 7)
else:
    server = library.modbus_tcp_listen(context, 1)
while True:
    if is_serial:
        library.modbus_connect(context)
    else:
        library.modbus_tcp_accept(context, ctypes.byref(ctypes.c_int(server)))
    while True:
        length = library.modbus_receive(context, query)
        if length < 0:
            break
        if length > 0:
            library.modbus_reply(context, query, length, mapping)
    library.modbus_close(context)
`;

test('a server of libmodbus: floats in four orders, registers beyond one request, coils and discrete inputs', async (t) => {
  const python = modbusPython(t);
  if (python === undefined) return;
  const port = await freePort();
  runPeer(t, python, ['-c', LIBMODBUS_SERVER, String(port)]);
  await untilListening(port);
  const floats = ORDERS.map(
    (order, index) => `  float_${order.toLowerCase()}: {at: ${2 * index}, type: f32, order: ${order}}`,
  );
  const mapping = mappingOf(
    [
      ...floats,
      '  input: {at: 0, count: 150, first: 0, table: input, type: u16}',
      '  coil: {at: 8, count: 3, table: coil, type: bit}',
      '  discrete: {at: 17, table: discrete, type: bit}',
    ].join('\n'),
  );
  const values = await valuesOf(`tcp://127.0.0.1:${port}`, mapping);
  for (const order of ORDERS) assert.equal(values[`float_${order.toLowerCase()}`], -12.375, order);
  for (let index = 0; index < 150; index += 1) assert.equal(values[`input_${index}`], index);
  assert.deepEqual([values['coil_1'], values['coil_2'], values['coil_3'], values['discrete']], [0, 1, 1, 1]);
});

test('a server of jsmodbus', async (t) => {
  const net = createServer();
  net.listen(0, '127.0.0.1');
  await once(net, 'listening');
  t.after(() => net.close());
  const holding = Buffer.alloc(400);
  holding.writeUInt32BE(70_000, 20);
  new jsmodbus.server.TCP(net, { holding });
  const { port } = net.address() as { port: number };
  assert.deepEqual(await valuesOf(`tcp://127.0.0.1:${port}`, SCALE), { weight: 70_000, state: 0 });
});

/** Opens a pair of serial lines, with unit 7 of libmodbus at the far end. */
async function serialLine(t: TestContext): Promise<string | null> {
  const python = modbusPython(t);
  if (python === undefined) return null;
  const folder = await mkdtemp(join(tmpdir(), 'granary-serial-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const [near, far] = [join(folder, 'near'), join(folder, 'far')];
  runPeer(t, 'socat', [`pty,raw,echo=0,link=${near}`, `pty,raw,echo=0,link=${far}`]);
  await Promise.all([untilThere(near), untilThere(far)]);
  runPeer(t, python, ['-c', LIBMODBUS_SERVER, far]);
  return near;
}

const TEN = mappingOf(
  '  word: {at: 0, count: 10, table: input, type: u16, every: 100ms}',
  '{timeout: 500ms}',
);
const TEN_VALUES = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];

async function firstValues(polling: Polling): Promise<(number | null)[]> {
  await polling.start();
  return (await polling.nextSample()).values.map(({ value }) => value);
}

test('a serial line with a unit of libmodbus, found among units that are not there', async (t) => {
  const line = await serialLine(t);
  if (line === null) return;
  const endpoint = `serial://${line}?baud=19200`;
  const beyond = mappingOf('  word: {at: 5000, type: u16, every: 100ms}', '{timeout: 500ms}');
  const polling = new Polling(t, [
    { ...device(endpoint, TEN, 7), id: 'there' },
    { ...device(endpoint, beyond, 7), id: 'refused' },
    { ...device(endpoint, TEN, 9), id: 'missing' },
  ]);
  assert.deepEqual(await firstValues(polling), TEN_VALUES);
  const codesOf = (id: string) =>
    new Set(polling.failures.flatMap((one) => (one.deviceId === id ? one.code : [])));
  await polling.until(() => codesOf('refused').has('exception') && codesOf('missing').has('timeout'));
  assert.deepEqual(
    (await polling.nextSample()).values.map(({ value }) => value),
    TEN_VALUES,
  );
});

test('a serial line that is pulled out and put back', async (t) => {
  const python = modbusPython(t);
  if (python === undefined) return;
  const folder = await mkdtemp(join(tmpdir(), 'granary-serial-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const [near, far] = [join(folder, 'near'), join(folder, 'far')];
  const plugged = async () => {
    const cable = runPeer(t, 'socat', [`pty,raw,echo=0,link=${near}`, `pty,raw,echo=0,link=${far}`]);
    await Promise.all([untilThere(near), untilThere(far)]);
    const unit = runPeer(t, python, ['-c', LIBMODBUS_SERVER, far]);
    return [cable, unit];
  };
  let parts = await plugged();
  const polling = new Polling(t, [device(`serial://${near}?baud=19200`, TEN, 7)]);
  assert.deepEqual(await firstValues(polling), TEN_VALUES);
  for (let round = 0; round < 2; round += 1) {
    const { length } = polling.failures;
    for (const part of parts) part.kill('SIGKILL');
    await Promise.all(parts.map((part) => part.exitCode ?? part.signalCode ?? once(part, 'exit')));
    await polling.until(() => polling.failures.length > length && polling.health()[0]?.state === 'silent');
    await rm(near, { force: true });
    await rm(far, { force: true });
    parts = await plugged();
    const returnedMs = performance.now();
    const { values } = await polling.nextSample();
    assert.deepEqual(
      values.map(({ value }) => value),
      TEN_VALUES,
    );
    assert.ok(performance.now() - returnedMs <= 5_000, `${performance.now() - returnedMs} ms`);
  }
});

test('a serial line on which something speaks without a pause', async (t) => {
  const python = modbusPython(t);
  if (python === undefined) return;
  const folder = await mkdtemp(join(tmpdir(), 'granary-serial-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const [near, far] = [join(folder, 'near'), join(folder, 'far')];
  runPeer(t, 'socat', [`pty,raw,echo=0,link=${near}`, `pty,raw,echo=0,link=${far}`]);
  await Promise.all([untilThere(near), untilThere(far)]);
  const other = await open(far, 'w');
  // Frames of this line speed are an eighth of a second apart.
  const timer = setInterval(() => void other.write('U'), 15);
  t.after(() => clearInterval(timer));
  const seldom = mappingOf(
    '  word: {at: 0, count: 10, table: input, type: u16, every: 2s}',
    '{timeout: 500ms}',
  );
  const polling = new Polling(t, [device(`serial://${near}?baud=300`, seldom, 7)]);
  await polling.start();
  await polling.until(() => polling.failures.some(({ detail }) => /without a pause/.test(detail)));
  await polling.until(() => polling.health()[0]?.state === 'silent');
  clearInterval(timer);
  await other.close();
  runPeer(t, python, ['-c', LIBMODBUS_SERVER, far]);
  assert.deepEqual(
    (await polling.nextSample()).values.map(({ value }) => value),
    TEN_VALUES,
  );
});

test('a gateway that passes a serial line on', async (t) => {
  const line = await serialLine(t);
  if (line === null) return;
  const port = await freePort();
  // The test does not check the port with a connection, because that would also read from the line.
  runPeer(t, 'socat', [`tcp-listen:${port},reuseaddr,fork,bind=127.0.0.1`, `${line},raw,echo=0`]);
  const polling = new Polling(t, [device(`rtu+tcp://127.0.0.1:${port}`, TEN, 7)]);
  assert.deepEqual(await firstValues(polling), TEN_VALUES);
  assert.equal((await polling.nextSample()).values.length, 10);
});

test('mbpoll reads our own server', async (t) => {
  if (modbusPython(t) === undefined) return;
  const own = new TestDevice((unit, { at, count }) => {
    if (at + count > 10) return 2;
    const data = Buffer.alloc(2 * count);
    for (let index = 0; index < count; index += 1) data.writeUInt16BE(unit * 256 + at + index, 2 * index);
    return data;
  });
  await own.start(t);
  const lines = await pollRead(own.port, 3, 2, 4);
  assert.deepEqual(
    lines.map((line) => line.replaceAll(/\s+/g, ' ').trim()),
    ['[2]: 0x0302', '[3]: 0x0303', '[4]: 0x0304', '[5]: 0x0305'],
  );
  await assert.rejects(pollRead(own.port, 3, 8, 4), /Illegal data address/);
});
