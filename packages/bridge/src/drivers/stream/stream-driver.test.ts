import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { attach, RecordedDriver, until } from '@granary/testing/bridge/driver-rig';
import { makeDriver } from './stream-driver.ts';

const library = (name: string): string =>
  readFileSync(new URL(`../../../library/${name}.yaml`, import.meta.url), 'utf8').replaceAll(
    /every: \ds/g,
    'every: 100ms',
  );
const isMissing = (name: string) => process.env['GRANARY_TEST_WITHOUT']?.includes(name) === true;
const withoutGpsd = isMissing('gpsd') ? 'gpsd is not installed here' : false;
const withoutSocat = isMissing('socat') ? 'socat is not installed here' : false;

async function listen(
  t: TestContext,
  connected: (socket: Socket) => void,
): Promise<{ server: Server; endpoint: string }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    connected(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { server, endpoint: `tcp://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function start(t: TestContext, mapping: string, endpoint: string): Promise<RecordedDriver> {
  const rig = new RecordedDriver();
  await rig.start(t, (events, parts) => makeDriver([attach('device', mapping, endpoint)], events, parts));
  return rig;
}

function run(t: TestContext, command: string, ...args: string[]): ChildProcess {
  const child = spawn(command, args, { stdio: 'ignore' });
  t.after(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    await exited;
  });
  return child;
}

test('lines of an indicator become weights; other lines, endless ones and cuts do no harm', async (t) => {
  const connections: Socket[] = [];
  const { endpoint } = await listen(t, (socket) => connections.push(socket));
  const rig = await start(t, library('ascii-weight'), endpoint);
  await until(() => assert.equal(connections.length, 1));
  connections[0]?.write('34.5kg\r\nST,GS,+  123');
  connections[0]?.write('4.5kg\r\n');
  await until(() => assert.deepEqual(rig.values, ['device status=null unit=null weight=1234.5']));
  connections[0]?.write(`${'x'.repeat(1_000_000)}\r\n`);
  connections[0]?.write('no weight\r\n'.repeat(20));
  await until(() => assert.equal(rig.failures.at(-1)?.failure.code, 'malformed'));
  connections[0]?.write('\u0002OL,GS,+999999kg\u0003');
  await until(() => assert.equal(rig.samples.at(-1)?.values.at(-1)?.reason, 'bad_status'));
  connections[0]?.destroy();
  await until(() => assert.deepEqual(rig.failures.at(-1)?.failure.points, ['status', 'unit', 'weight']));
  await until(() => assert.equal(connections.length, 2));
  connections[1]?.write('ST,GS,+7t\r\n');
  await until(() => assert.equal(rig.samples.at(-1)?.values.at(-1)?.value, 7_000));
});

test('an indicator that sends a hundred lines at once gives one weight for each period', async (t) => {
  const { endpoint } = await listen(t, (socket) => socket.write('ST,GS,+1kg\r\n'.repeat(100)));
  const rig = await start(t, library('ascii-weight'), endpoint);
  await until(() => assert.equal(rig.samples.length, 2));
  await sleep(300);
  assert.equal(rig.samples.length, 2, 'the first one at once, and the newest one after a period');
});

test('nobody listens: the failure is said, and tried again', async (t) => {
  const { server, endpoint } = await listen(t, () => undefined);
  server.close();
  const rig = await start(t, library('ascii-weight'), endpoint);
  await until(() => assert.ok(rig.failures.length >= 2));
  assert.equal(rig.failures[0]?.failure.code, 'connection_refused');
  assert.equal(rig.stateOf('device'), 'silent');
  assert.ok(rig.driver.health()[0]?.breaker.open);
});

test('a serial line is read, with socat as the line', { skip: withoutSocat }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'granary-serial-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const [ours, theirs] = [join(folder, 'ours'), join(folder, 'theirs')];
  run(t, 'socat', `pty,raw,echo=0,link=${ours}`, `pty,raw,echo=0,link=${theirs}`);
  await until(() => assert.ok(existsSync(theirs)));
  const rig = await start(t, library('ascii-weight'), `serial://${ours}?baud=9600`);
  await until(async () => {
    await writeFile(theirs, 'ST,GS,+42kg\r\n');
    assert.equal(rig.samples.at(-1)?.values.at(-1)?.value, 42);
  });
});

const DAY_MS = 86_400_000;
const YESTERDAY = new Date(Date.now() - DAY_MS).toISOString().slice(0, 10);

/** Returns ten seconds of the output of a receiver that moves north. */
function nmeaLog(): string {
  const date = YESTERDAY.slice(2).split('-').reverse().join('');
  const checked = (body: string): string => {
    let sum = 0;
    for (const character of body) sum ^= character.charCodeAt(0);
    return `$${body}*${sum.toString(16).toUpperCase().padStart(2, '0')}\r\n`;
  };
  const seconds = Array.from({ length: 10 }, (_, index) => {
    const time = `0400${String(index + 10)}.00`;
    const position = `4807.0${String(380 + index)},N,01131.0000,E`;
    return (
      checked(`GPGGA,${time},${position},1,08,0.9,545.4,M,46.9,M,,`) +
      checked(`GPGSA,A,3,04,05,09,12,24,25,29,31,,,,,2.5,1.3,2.1`) +
      checked(`GPRMC,${time},A,${position},2.0,0.0,${date},003.1,W`)
    );
  });
  return seconds.join('');
}

test('positions of gpsd, which gpsfake feeds', { skip: withoutGpsd }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'granary-gpsd-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const log = join(folder, 'tractor.log');
  await writeFile(log, nmeaLog());
  const { server, endpoint } = await listen(t, () => undefined);
  server.close();
  run(t, 'gpsfake', '-n', '-q', '-c', '0.05', '-P', new URL(endpoint).port, log);
  const rig = await start(t, library('gpsd'), endpoint);
  await until(() => {
    const values = new Map(rig.samples.at(-1)?.values.map(({ point, value }) => [point, value]));
    assert.ok(Math.abs((values.get('latitude') ?? 0) - 48.1173) < 0.001, String(values.get('latitude')));
    assert.ok(Math.abs((values.get('longitude') ?? 0) - 11.51667) < 0.001);
    assert.ok(Math.abs((values.get('altitude') ?? 0) - 545.4) < 0.1);
    assert.ok(Math.abs((values.get('speed') ?? 0) - 1.03) < 0.1);
  });
  assert.equal(rig.stateOf('device'), 'answering');
});

test('NMEA sentences over TCP become positions with their own time', async (t) => {
  const { endpoint } = await listen(t, (socket) => socket.write(nmeaLog()));
  const mapping = library('nmea-tracker');
  const rig = await start(t, mapping, endpoint);
  await until(() => assert.ok(rig.samples.length > 0));
  assert.equal(rig.samples[0]?.atMs, Date.parse(`${YESTERDAY}T04:00:10Z`));
  assert.equal(
    rig.values[0],
    'device latitude=48.1173 longitude=11.51666667 altitude=545.4 speed=1.02888888889 satellites=8',
  );
});
