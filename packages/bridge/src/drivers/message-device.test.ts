import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { attach, RecordedDriver } from '@granary/testing/bridge/driver-rig';
import type { Total } from '../mapping/totals.ts';
import type { AttachedDevice } from './driver.ts';
import { type Message, MessageDevice } from './message-device.ts';
import { messageDeviceFaults } from './message-settings.ts';

const DAY_MS = 86_400_000;
const NOW_MS = Date.parse('2026-11-18T05:00:00Z');
const STATION = `
mapping: station
version: 1
title: A weather station
source: this test
evidence: documented
protocol: mqtt
profile: weather_station
defaults: {topic: "stations/{address}", silent_after: 200ms, time: {pointer: /at, as: epoch_ms}}
points:
  rain: {pointer: /rain, unit: mm, difference: true, sensor: rainfall}
  temperature: {pointer: /temperature, unit: celsius, sensor: temperature}
`;

const messageOf = (document: object, isRetained = false): Message => ({
  text: JSON.stringify(document),
  document,
  topic: null,
  isRetained,
  roundTripMs: null,
});

/** A weather station; the test sets the clock and the stored totals of its bridge. */
class Station extends RecordedDriver {
  nowMs = NOW_MS;
  readonly kept = new Map<string, Total>();
  device: MessageDevice;

  constructor() {
    super();
    this.device = this.started();
  }

  started(changes: Partial<AttachedDevice> = {}, mapping = STATION): MessageDevice {
    const attached = { ...attach('station', mapping, 'mqtt://127.0.0.1:1', { address: 'one' }), ...changes };
    const parts = {
      ...this.parts,
      now: () => this.nowMs,
      totals: {
        totalOf: (counter: string) => this.kept.get(counter) ?? null,
        keepTotal: (counter: string, total: Total) => void this.kept.set(counter, total),
      },
    };
    this.device = new MessageDevice(attached, this.events, parts);
    return this.device;
  }

  says(document: object, afterMs = 60_000): void {
    this.nowMs += afterMs;
    this.device.received(messageOf(document));
  }

  get rain(): (number | null)[] {
    return this.samples.flatMap(({ values }) =>
      values.flatMap(({ point, value }) => (point === 'rain' ? [value] : [])),
    );
  }
}

test('rain that fell while the bridge did not run is counted once, in the first message after its start', () => {
  const station = new Station();
  station.says({ rain: 10 });
  station.says({ rain: 11 });
  station.started();
  station.says({ rain: 14 }, 3_600_000);
  station.says({ rain: 14 });
  station.started();
  station.says({ rain: 14 });
  assert.deepEqual(station.rain, [1, 3, 0, 0]);
});

test('in dry weather the total stays comparable, and an old one is not used', () => {
  const station = new Station();
  station.says({ rain: 10 });
  for (let hour = 0; hour < 72; hour += 1) station.says({ rain: 10 }, 3_600_001);
  station.started();
  station.says({ rain: 12 });
  assert.equal(station.rain.at(-1), 2);
  station.started();
  const { length } = station.rain;
  station.says({ rain: 40 }, 2 * DAY_MS);
  assert.equal(station.rain.length, length, 'two days later nobody knows when it fell');
  station.says({ rain: 41 });
  assert.equal(station.rain.at(-1), 1);
});

test('another station, or another counter of it, begins anew', () => {
  const station = new Station();
  station.says({ rain: 10, year: 700 });
  station.started({ endpoint: 'mqtt://127.0.0.1:2' });
  station.says({ rain: 500 });
  station.started({ options: { address: 'two' } });
  station.says({ rain: 500 });
  station.started({}, STATION.replace('/rain', '/year'));
  station.says({ rain: 10, year: 700 });
  station.started({}, STATION.replace('unit: mm', 'unit: in'));
  station.says({ rain: 12 });
  assert.deepEqual(station.rain, []);
});

test('a clock that is set makes no device silent, keeps none that is silent, and stops no rain', async () => {
  const station = new Station();
  station.says({ rain: 1 });
  station.nowMs += 400 * DAY_MS;
  station.device.checkSilence();
  assert.equal(station.device.health().state, 'answering');
  station.nowMs -= 800 * DAY_MS;
  station.says({ rain: 3 });
  assert.deepEqual(station.rain, [2]);
  await sleep(250);
  station.device.checkSilence();
  assert.equal(station.device.health().state, 'silent');
});

test('the time of a device counts where the service takes it, and otherwise the time of arrival', () => {
  const station = new Station();
  const times = [-1_000, 29_000, 31_000, 240_000, 400 * DAY_MS, -27 * DAY_MS, -29 * DAY_MS];
  for (const byMs of times) station.says({ temperature: 5, at: NOW_MS + byMs }, 0);
  station.says({ temperature: 5, at: 0 }, 0);
  assert.deepEqual(
    station.samples.map(({ atMs, hasOwnTime }) => [atMs - NOW_MS, hasOwnTime]),
    [
      [-1_000, true],
      [29_000, true],
      [0, false],
      [0, false],
      [0, false],
      [-27 * DAY_MS, true],
      [0, false],
      [0, false],
    ],
  );
  const { length } = station.samples;
  station.device.received(messageOf({ temperature: 6, at: NOW_MS + 90_000 }, true));
  assert.equal(station.samples.length, length, 'kept by the broker, and of an unknown age');
});

test('an endpoint that can be no serial line, or has no port, is refused', () => {
  const faultsAt = (endpoint: string) =>
    messageDeviceFaults(
      attach(
        'a',
        STATION.replace('protocol: mqtt', 'protocol: http').replace('topic: "stations/{address}", ', ''),
        endpoint,
      ),
    );
  for (const query of ['baud=0', 'baud=-1', 'baud=fast', 'parity=some', 'stop=3', 'bits=7'])
    assert.match(faultsAt(`serial:///dev/ttyS0?${query}`)[0] ?? '', /is no serial line: use serial:/, query);
  for (const endpoint of ['tcp://10.0.0.1', 'tcp://10.0.0.1:0', 'listen://0.0.0.0/path', 'mqtt://h:0'])
    assert.match(faultsAt(endpoint)[0] ?? '', /needs a port, such as/, endpoint);
  for (const good of [
    'serial:///dev/ttyS0',
    'serial:///dev/ttyS0?baud=4800&parity=odd&stop=2',
    'tcp://h:1',
    'http://h/p',
  ])
    assert.deepEqual(faultsAt(good), [], good);
});
