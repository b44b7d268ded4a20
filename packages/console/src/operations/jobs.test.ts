import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OPERATION_STATUSES } from '@granary/contract/operations';
import { parseRoute } from '../context/routes.ts';
import { useLanguage } from '../texts.ts';
import {
  actorText,
  canDeclareCommand,
  canDeclareMission,
  canDeclareOperation,
  jobKindOf,
  jobQuery,
  levelAtEnd,
  nameOf,
  tookMs,
} from './jobs.ts';

test('the filters of the address are those of the request', () => {
  const route = parseRoute(
    '#/operations?status=failed&facility=A%20%26%20B&device=silo-1&order=-what',
    () => true,
  );
  assert.deepEqual(jobQuery(route, OPERATION_STATUSES), {
    status: 'failed',
    facility: 'A & B',
    device_id: 'silo-1',
  });
});

test('a status that another list has is no filter', () => {
  assert.deepEqual(
    jobQuery(
      parseRoute('#/operations?status=timed_out&facility=', () => true),
      OPERATION_STATUSES,
    ),
    {},
  );
});

test('an unknown tab leads to the operations', () => {
  assert.deepEqual(
    [jobKindOf('missions'), jobKindOf('nothing'), jobKindOf(null)],
    ['missions', 'operations', 'operations'],
  );
});

test('who asked is the person, else the key, else nobody', () => {
  const key = { key_id: 'key_1', key_name: 'office' };
  assert.deepEqual(
    [nameOf({ ...key, actor: 'Ada' }), nameOf({ ...key, actor: null }), nameOf(null)],
    ['Ada', 'office', null],
  );
});

test('a job that has not ended takes until now', () => {
  assert.equal(tookMs('2026-11-16T00:00:00Z', '2026-11-16T00:00:05Z', 0), 5_000);
  assert.equal(tookMs('2026-11-16T00:00:00Z', null, Date.parse('2026-11-16T00:01:00Z')), 60_000);
  assert.equal(tookMs('2026-11-16T00:00:00Z', null, 0), 0);
});

test('only what is uncertain can be declared ended', () => {
  assert.deepEqual(
    OPERATION_STATUSES.filter((status) => canDeclareOperation({ status })),
    ['stopping', 'unconfirmed'],
  );
  assert.equal(canDeclareMission({ status: 'in_progress', requested: null, link_lost_at: null }), false);
  assert.equal(canDeclareMission({ status: 'in_progress', requested: 'cancel', link_lost_at: null }), true);
  assert.equal(canDeclareMission({ status: 'completed', requested: 'cancel', link_lost_at: null }), false);
  assert.equal(canDeclareCommand({ status: 'timed_out' }), true);
  assert.equal(canDeclareCommand({ status: 'queued' }), false);
});

test('an operation leads to a level as long as it is known and goes on', () => {
  const discharge = {
    type: 'discharge',
    status: 'in_progress',
    amount_target: 2,
    amount_completed: 0.5,
    unit: 't',
  } as const;
  assert.equal(levelAtEnd(discharge, 50, 10_000), 35);
  assert.equal(levelAtEnd({ ...discharge, type: 'feed' }, 50, 10_000), 65);
  assert.equal(levelAtEnd({ ...discharge, unit: 'lb', amount_target: 1_000.5 }, 50, 45_359.237), 49);
  assert.equal(levelAtEnd({ ...discharge, amount_target: 90 }, 50, 10_000), 0, 'not below empty');
  assert.equal(levelAtEnd({ ...discharge, amount_completed: 3 }, 50, 10_000), 50, 'not the other way');
  assert.equal(levelAtEnd({ ...discharge, amount_completed: null }, 50, 10_000), 30);
  for (const unknown of [{ type: null }, { amount_target: null }, { status: 'stopping' }] as const) {
    assert.equal(levelAtEnd({ ...discharge, ...unknown }, 50, 10_000), null);
  }
  assert.equal(levelAtEnd(discharge, 50, 0), null);
});

test('the person is named with the key, and the key alone where nobody is', () => {
  const key = { key_id: 'k', key_name: 'barn tablet' };
  assert.equal(actorText({ ...key, actor: 'Ada' }), 'Ada · barn tablet');
  assert.equal(actorText({ ...key, actor: null }), 'barn tablet');
  const byKey = { key_id: 'key_2', name: 'laptop' };
  assert.equal(actorText({ ...key, actor: null, by_key: byKey }), 'barn tablet · laptop');
  assert.equal(actorText(null), null);
});

test('whoever confirmed is named with whoever started it', async () => {
  await useLanguage('en');
  const confirmed_by = { key_id: 'per_2', name: 'Bo' };
  const terminal = { key_id: 't', name: 'Mill, door' };
  const ada = { key_id: 'per_1', key_name: 'Ada', actor: null, confirmed_by };
  assert.equal(nameOf(ada), 'Ada, confirmed by Bo');
  assert.equal(actorText({ ...ada, terminal }), 'Ada · Mill, door, confirmed by Bo');
  const proposed_by = { key_id: 'k', name: 'feed agent' };
  assert.equal(actorText({ ...ada, proposed_by }), 'Ada, confirmed by Bo (proposed by feed agent)');
});
