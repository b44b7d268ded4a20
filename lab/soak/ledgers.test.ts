import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AlertLedger, ReadingLedger, StartLedger, StreamLedger } from './ledgers.ts';

describe('acknowledged readings', () => {
  const reading = (deviceId: string, tsMs: number) => ({ deviceId, tsMs });

  it('are missing until they are found in the database', () => {
    const ledger = new ReadingLedger();
    ledger.acknowledged(reading('a', 1), 10);
    ledger.acknowledged(reading('a', 2), 20);
    ledger.acknowledged(reading('b', 1), 30);
    ledger.stored(reading('a', 1));
    ledger.stored(reading('c', 1));
    assert.deepEqual(ledger.missing(), [reading('a', 2), reading('b', 1)]);
    assert.deepEqual(ledger.missing(30), [reading('a', 2)]);
    assert.equal(ledger.acknowledgedCount, 3);
  });
});

describe('starts', () => {
  it('are counted once for each accepted request that a device began', () => {
    const ledger = new StartLedger();
    for (const key of ['1', '2', '3']) ledger.requested(key, 'silo');
    assert.equal(ledger.accepted('1', 'op-1'), true);
    assert.equal(ledger.accepted('1', 'op-1'), true);
    ledger.received('silo', 'op-1');
    ledger.accepted('2', 'op-2');
    ledger.refused('3');
    assert.deepEqual(ledger.counts(), { accepted: 2, begun: 1, duplicated: 0 });
    assert.deepEqual([ledger.timesReceived('op-1'), ledger.timesReceived('op-2')], [1, 0]);
  });

  it('of the same operation twice are a duplicate', () => {
    const ledger = new StartLedger();
    ledger.requested('1', 'silo');
    ledger.accepted('1', 'op-1');
    ledger.received('silo', 'op-1');
    ledger.received('silo', 'op-1');
    assert.equal(ledger.counts().duplicated, 1);
  });

  it('that nobody asked for are a duplicate, unless a request of that device was never answered', () => {
    const ledger = new StartLedger();
    ledger.requested('1', 'silo');
    ledger.received('silo', 'op-1');
    assert.equal(ledger.counts().duplicated, 0);
    ledger.received('silo', 'op-2');
    ledger.received('other', 'op-3');
    assert.equal(ledger.counts().duplicated, 2);
    ledger.refused('1');
    assert.equal(ledger.counts().duplicated, 3);
  });

  it('of two operations under one idempotency key are noticed', () => {
    const ledger = new StartLedger();
    ledger.requested('1', 'silo');
    ledger.accepted('1', 'op-1');
    assert.equal(ledger.accepted('1', 'op-2'), false);
    ledger.received('silo', 'op-1');
    ledger.received('silo', 'op-2');
    assert.equal(ledger.counts().duplicated, 1);
    assert.throws(() => ledger.accepted('2', 'op-3'), /nobody asked/);
  });
});

describe('alerts', () => {
  it('are compared for each device, so that one too many does not hide a missing one', () => {
    const ledger = new AlertLedger();
    for (const device of ['a', 'a', 'b', 'c']) ledger.expected(device);
    assert.deepEqual(ledger.compared(['a', 'a', 'b', 'c']), {
      expected: 4,
      raised: 4,
      duplicated: 0,
      missing: 0,
    });
    assert.deepEqual(ledger.compared(['a', 'b', 'b', 'd']), {
      expected: 4,
      raised: 4,
      duplicated: 2,
      missing: 2,
    });
  });
});

describe('the events of a stream', () => {
  it('are compared with the log after the position at which the stream was opened', () => {
    const ledger = new StreamLedger(10);
    for (const sequence of [11, 12, 14, 12]) ledger.seen(sequence);
    assert.deepEqual(ledger.compared([9, 10, 11, 12, 13, 14]), { seen: 3, missing: 1, duplicated: 1 });
  });

  it('that could not be resumed lack at least one', () => {
    const ledger = new StreamLedger(0);
    ledger.reset();
    assert.equal(ledger.compared([]).missing, 1);
  });
});
