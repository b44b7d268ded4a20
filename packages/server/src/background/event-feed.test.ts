import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoredEvent } from '@granary/app/events/event-rows';
import { TURN_MS_MAX } from '@granary/common/turn-queue';
import { createLogger } from '../process/logging/logger.ts';
import { type EncodedEvent, EventFeed } from './event-feed.ts';

const EVENTS = 350;
const STREAMS = 8;

const eventAt = (sequence: number): StoredEvent => ({
  sequence,
  type: 'alert.raised',
  deviceId: 'silo-1',
  facility: 'north',
  atMs: sequence,
  actor: null,
  data: {},
});

test('streams that have missed many events get them all, with one read in a turn of the event loop', async () => {
  let readsInTurn = 0;
  let mostInTurn = 0;
  const after = async ({ sequence, limit }: { readonly sequence: number; readonly limit: number }) => {
    if (sequence === EVENTS) return [];
    setImmediate(() => (readsInTurn = 0));
    mostInTurn = Math.max(mostInTurn, ++readsInTurn);
    const beganMs = performance.now();
    while (performance.now() - beganMs < TURN_MS_MAX);
    const count = Math.min(limit, EVENTS - sequence);
    return Array.from({ length: count }, (_, index) => eventAt(sequence + index + 1));
  };
  const events = {
    after,
    bounds: async () => ({ oldest: 1, newest: EVENTS }),
    hasUnnumbered: async () => false,
  };
  const feed = new EventFeed({ events } as never, createLogger('silent'));
  await feed.start();
  const streams = Array.from({ length: STREAMS }, () => ({
    isClosed: false,
    position: 0,
    sequences: [] as number[],
    skipTo: () => undefined,
    offer(encoded: readonly EncodedEvent[]) {
      this.sequences.push(...encoded.map(({ sequence }) => sequence));
      this.position = this.sequences.at(-1) ?? 0;
    },
    drained: async () => undefined,
  }));
  await Promise.all(streams.map((stream) => feed.follow(stream)));
  await feed.stop();
  const expected = Array.from({ length: EVENTS }, (_, index) => index + 1);
  for (const { sequences } of streams) assert.deepEqual(sequences, expected);
  assert.equal(mostInTurn, 1);
});
