import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, HOUR_MS } from '@granary/contract/time';
import { LinkStoppedError } from '../service-connection.ts';
import { type HistoryEvent, writeHistory } from '../start-farm.ts';

const NOW_MS = Date.UTC(2026, 10, 15, 12);
const DAYS = 2;

/** Writes the history of five devices; returns which of them delivered all of it, and which were reported as complete. */
async function writeFive(failure: (device: number) => Error | undefined) {
  const delivered = new Map<number, number>();
  const told: number[] = [];
  const events: HistoryEvent[] = [];
  const devices = [0, 1, 2, 3, 4].map((device) => ({
    link: {
      deliver: async (_subject: string, payload: unknown) => {
        const refused = failure(device);
        if (refused !== undefined) throw refused;
        assert.ok(Array.isArray(payload));
        delivered.set(device, (delivered.get(device) ?? 0) + payload.length);
      },
    },
    sources: [
      {
        spacingMs: HOUR_MS,
        readingAt: (ts: number) => ({ ts }),
        dailyPoints: async () => ({ points: [] }),
      },
    ],
    tellWritten: async () => {
      told.push(device);
    },
  }));
  const { signal } = new AbortController();
  await writeHistory({ devices, days: DAYS, nowMs: NOW_MS, onEvent: (event) => events.push(event), signal });
  const complete = [...delivered].filter(([, count]) => count === (DAYS * DAY_MS) / HOUR_MS - 1);
  return { complete: complete.map(([device]) => device).toSorted(), told: told.toSorted(), events };
}

test('every device is written and reported once', async () => {
  const { complete, told, events } = await writeFive(() => undefined);
  assert.deepEqual(complete, [0, 1, 2, 3, 4]);
  assert.deepEqual(told, complete);
  const done = events.map((event) => (event.kind === 'history' ? event.devicesDone : event.kind));
  assert.deepEqual(done, [0, 1, 2, 3, 4, 5]);
});

test('a device that fails is reported, and the others are still written', async () => {
  const { complete, told, events } = await writeFive((device) =>
    device === 1 ? new Error('refused') : undefined,
  );
  assert.deepEqual(complete, [0, 2, 3, 4]);
  assert.deepEqual(told, complete);
  assert.deepEqual(events.at(-1), { kind: 'history-failed', reason: 'refused' });
});

test('devices that are removed meanwhile do not end the work on the others', async () => {
  const { told, events } = await writeFive((device) => (device < 3 ? new LinkStoppedError() : undefined));
  assert.deepEqual(told, [3, 4]);
  assert.deepEqual(events.at(-1), { kind: 'history', days: DAYS, devicesDone: 2, devicesTotal: 5 });
});

test('the end of the farm is not a failure', async () => {
  const { events } = await writeFive(() => new LinkStoppedError());
  assert.deepEqual(
    events.filter(({ kind }) => kind === 'history-failed'),
    [],
  );
});
