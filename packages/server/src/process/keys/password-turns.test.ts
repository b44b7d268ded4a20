import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PasswordTurns } from './password-turns.ts';

function turnsOf(waitingMax: number) {
  const turns = new PasswordTurns(waitingMax);
  const refused: string[] = [];
  let begun = '';
  const add = (lane: 'home' | 'elsewhere' | 'pin', group: string, name: string) =>
    turns.add({ lane, group }, { begin: () => (begun = name), refuse: () => refused.push(name) });
  const next = (): string => {
    begun = '';
    turns.next()?.begin();
    return begun;
  };
  return { add, next, refused };
}

test('lanes take turns, and in each the groups, so that whoever sends many waits for their own', () => {
  const { add, next } = turnsOf(10);
  for (const n of [1, 2, 3]) add('elsewhere', '198.51.100.0/24', `attacker ${n}`);
  add('elsewhere', '203.0.113.0/24', 'away');
  add('home', 'ada', 'at home');
  add('pin', '', 'PIN');
  const order = Array.from({ length: 7 }, next);
  assert.deepEqual(order.slice(0, 4).toSorted(), ['PIN', 'at home', 'attacker 1', 'away'].toSorted());
  assert.deepEqual(order.slice(4), ['attacker 2', 'attacker 3', '']);
});

test('in a full lane the newest of the group with most makes room for another group', () => {
  const { add, next, refused } = turnsOf(3);
  for (const n of [1, 2, 3]) add('elsewhere', '198.51.100.0/24', `attacker ${n}`);
  assert.equal(add('elsewhere', '198.51.100.0/24', 'attacker 4'), undefined);
  assert.ok(add('elsewhere', '203.0.113.0/24', 'away'));
  assert.deepEqual(refused, ['attacker 3']);
  assert.ok(add('elsewhere', '192.0.2.0/24', 'another'));
  assert.deepEqual(refused, ['attacker 3', 'attacker 2']);
  assert.equal(add('elsewhere', '10.0.0.0/24', 'one too many'), undefined, 'each group has one');
  assert.deepEqual([next(), next(), next(), next()], ['attacker 1', 'away', 'another', '']);
});

test('whoever leaves has no turn', () => {
  const { add, next } = turnsOf(3);
  const place = add('home', 'ada', 'gone');
  add('home', 'bob', 'here');
  assert.equal(place?.leave(), true);
  assert.equal(place?.leave(), false);
  assert.equal(next(), 'here');
  assert.equal(next(), '');
});
