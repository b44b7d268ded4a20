import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchPattern, parsePattern } from './text-pattern.ts';

const match = (pattern: string, line: string) => {
  const parsed = parsePattern(pattern);
  assert.ok(parsed, pattern);
  return matchPattern(parsed, line);
};

test('lines of scale indicators are taken apart', () => {
  assert.deepEqual(match('{status:2},{kind:2},{weight:number} {unit:word}', 'ST,GS,+  1234.5kg'), {
    status: 'ST',
    kind: 'GS',
    weight: '+1234.5',
    unit: 'kg',
  });
  assert.deepEqual(match('{kind:word} {weight:number} {unit:word}', 'G   -0,75 t  '), {
    kind: 'G',
    weight: '-0.75',
    unit: 't',
  });
  assert.deepEqual(match('W={weight:number};{note:rest}', 'W=12;left silo'), {
    weight: '12',
    note: 'left silo',
  });
  assert.deepEqual(match('{a:word},{b:word}', 'x,y'), { a: 'x', b: 'y' });
});

test('a line of another form is not read in part', () => {
  for (const line of ['', 'ST', 'ST,GS,kg', 'ST,GS,12kg x', 'ST,GS,1e5kg', 'ST,GS,+-5kg'])
    assert.equal(match('{status:2},{kind:2},{weight:number}kg', line), null, line);
});

test('what is not a pattern is refused', () => {
  for (const text of [
    '',
    'kg',
    '{weight}',
    '{a:word}{a:word}',
    '{A:word}',
    '{a:regex}',
    '{a:word',
    'a}b',
    '{a:0}',
  ])
    assert.equal(parsePattern(text), null, text);
});

test('a long line of any text is refused at once', () => {
  const line = '1 '.repeat(500_000);
  const startedMs = performance.now();
  assert.equal(match('{a:word} {b:number} {c:word} {d:number}', line), null);
  // An algorithm that tries every way to split the line would take hours.
  assert.ok(performance.now() - startedMs < 10_000);
});
