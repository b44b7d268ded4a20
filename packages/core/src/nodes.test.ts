import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type BrokerKind,
  conflictingNodes,
  isCollector,
  isLast,
  type NodeRecord,
  provenAlive,
} from './nodes.ts';

const node = (nodeId: string, broker: BrokerKind, times: Partial<NodeRecord> = {}): NodeRecord => ({
  nodeId,
  broker,
  host: 'barn',
  version: '1.0.0',
  presetHash: null,
  startedAtMs: 0,
  liveSinceMs: 0,
  lastSeenAtMs: 0,
  brokerSinceMs: null,
  ...times,
});

describe('the nodes of a database', () => {
  it('may be several with an external broker only', () => {
    const others = [node('a', 'embedded'), node('b', 'external')];
    assert.deepEqual(conflictingNodes('embedded', others), others);
    assert.deepEqual(conflictingNodes('external', others), [others[0]]);
    assert.deepEqual(conflictingNodes('external', [node('b', 'external')]), []);
  });

  it('are proven to live by a later beat, not by the first one that is found', () => {
    const before = [node('a', 'embedded', { lastSeenAtMs: 1 }), node('b', 'embedded', { lastSeenAtMs: 1 })];
    const now = [node('a', 'embedded', { lastSeenAtMs: 1 }), node('b', 'embedded', { lastSeenAtMs: 2 })];
    assert.deepEqual(provenAlive(before, now), [now[1]]);
    assert.deepEqual(provenAlive([], now), []);
  });

  it('give way to those that were there before', () => {
    const first = node('b', 'embedded', { liveSinceMs: 1 });
    const second = node('a', 'embedded', { liveSinceMs: 2 });
    assert.deepEqual([isLast(first, [second]), isLast(second, [first])], [false, true]);
    const same = node('c', 'embedded', { liveSinceMs: 1 });
    assert.deepEqual([isLast(first, [same]), isLast(same, [first])], [false, true]);
    assert.equal(isLast(first, []), false);
  });

  it('leave the messages of devices to the one that has reached the broker for the longest time', () => {
    const away = node('a', 'external');
    const first = node('c', 'external', { brokerSinceMs: 1 });
    const second = node('b', 'external', { brokerSinceMs: 2 });
    const same = node('d', 'external', { brokerSinceMs: 1 });
    const isOf = (own: NodeRecord): boolean =>
      isCollector(
        own,
        [away, first, second, same].filter((other) => other !== own),
      );
    assert.deepEqual([away, first, second, same].map(isOf), [false, true, false, false]);
    assert.equal(isCollector(second, [away]), true);
  });
});
