import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SECOND_MS } from '@granary/contract/time';
import { IS_FULL_SIZE } from '@granary/testing/contract/size';
import type { Fault } from './faults.ts';
import { soak } from './soak-run.ts';

const without = process.env['GRANARY_TEST_WITHOUT']?.includes('mosquitto')
  ? 'mosquitto is not installed here'
  : false;

const KILL: Fault = {
  name: 'kill',
  description: 'one node is killed and started again',
  run: async ({ site: { nodes }, recovered }) => {
    const [, second] = nodes;
    await second?.kill();
    await recovered(nodes.filter((node) => node !== second));
    await second?.start();
    await recovered();
  },
};

/** Times are not checked here, because other tests use the machine at the same time. */
test('a short run in which a node is killed loses and repeats nothing', { skip: without }, async (t) => {
  const { outcome } = await soak({
    durationMs: (IS_FULL_SIZE ? 30 : 15) * SECOND_MS,
    devices: 20,
    faults: [KILL],
    logFolder: null,
    progress: (line) => t.diagnostic(line),
    interruption: t.signal,
  });
  assert.deepEqual(outcome.troubles, []);
  assert.equal(outcome.readings.lost, 0);
  assert.ok(outcome.readings.acknowledged > 100);
  assert.equal(outcome.operations.duplicated, 0);
  assert.ok(outcome.operations.begun > 1);
  const { duplicated, missing, expected } = outcome.alerts;
  assert.deepEqual([duplicated, missing, expected > 0], [0, 0, true]);
  for (const stream of outcome.streams) {
    assert.deepEqual([stream.missing, stream.duplicated, stream.seen > 10], [0, 0, true]);
  }
  const [calm, killed] = outcome.phases;
  assert.ok((calm?.stops.length ?? 0) > 1 && killed?.fault?.name === 'kill');
});
