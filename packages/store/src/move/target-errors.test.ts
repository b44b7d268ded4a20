import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MoveError } from '../errors.ts';
import { explainTarget } from './target.ts';

const explain = (message: string, code?: string): unknown =>
  explainTarget(Object.assign(new Error(message), code === undefined ? {} : { code }), 'db.example/granary');

test('errors that a person can correct get one line and a cure', () => {
  const cases: readonly [message: string, code: string | undefined, cure: RegExp, kind: string][] = [
    [
      'could not extend file: No space left on device',
      '53100',
      /disk of the database is full: free some space there.*goes on/,
      'failed',
    ],
    ['permission denied for schema public', '42501', /must own the database/, 'failed'],
    ['password authentication failed for user "granary"', '28P01', /user name and the password/, 'failed'],
    ['cannot execute CREATE TABLE in a read-only transaction', '25006', /name the primary/, 'failed'],
    [
      'terminating connection due to administrator command',
      '57P01',
      /Look whether the server runs.*goes on/,
      'unreachable',
    ],
    ['connect ECONNREFUSED 127.0.0.1:1', 'ECONNREFUSED', /Look whether the server runs/, 'unreachable'],
    ['Connection terminated unexpectedly', undefined, /Look whether the server runs/, 'unreachable'],
  ];
  for (const [message, code, cure, kind] of cases) {
    const explained = explain(message, code);
    assert.ok(explained instanceof MoveError, message);
    assert.equal(explained.message, `cannot use the database at db.example/granary: ${message}`);
    assert.match(explained.cure ?? '', cure);
    assert.equal(explained.kind, kind);
  }
});

test('a fault of our own statements stays what it is', () => {
  const fault = Object.assign(new Error('syntax error at or near "FORM"'), { code: '42601' });
  assert.equal(explainTarget(fault, 'db.example/granary'), fault);
});
