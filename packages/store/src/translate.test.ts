import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ErrorCode, Refusal } from '@granary/contract/errors';
import { translate as translatePostgres } from './postgres/errors.ts';
import { translate as translateSqlite } from './sqlite/errors.ts';

const withFields = (fields: object, message = 'text of the engine'): Error =>
  Object.assign(new Error(message), fields);

const sqlite = (errcode: number): unknown => translateSqlite(withFields({ errcode }));
const postgres = (code: string): unknown => translatePostgres(withFields({ code }));

describe('errors of an engine', () => {
  for (const [what, translated, code] of [
    ['SQLite: disk full', sqlite(13), 'storage_full'],
    ['SQLite: log index cannot grow', sqlite(4_874), 'storage_full'],
    ['SQLite: busy', sqlite(5), 'storage_unavailable'],
    ['SQLite: failed write', sqlite(778), 'storage_unavailable'],
    ['SQLite: damaged index', sqlite(779), 'storage_unavailable'],
    ['PostgreSQL: disk full', postgres('53100'), 'storage_full'],
    ['PostgreSQL: too many connections', postgres('53300'), 'storage_unavailable'],
    ['PostgreSQL: shutting down', postgres('57P01'), 'storage_unavailable'],
    ['PostgreSQL: connection failure', postgres('08006'), 'storage_unavailable'],
    ['PostgreSQL: read-only standby', postgres('25006'), 'storage_unavailable'],
    ['PostgreSQL: connection refused', postgres('ECONNREFUSED'), 'storage_unavailable'],
    ['PostgreSQL: NUL in a text', postgres('22021'), 'invalid_input'],
    [
      'PostgreSQL: connection lost',
      translatePostgres(new Error('Connection terminated unexpectedly')),
      'storage_unavailable',
    ],
  ] as const satisfies readonly (readonly [string, unknown, ErrorCode])[]) {
    it(`${what} becomes ${code}`, () => {
      assert(translated instanceof Refusal);
      assert.equal(translated.code, code);
    });
  }

  it('say their reason once in the chain of causes, which the log shows', () => {
    const refusal = translatePostgres(
      withFields({ code: '55P03' }, 'canceling statement due to lock timeout'),
    );
    assert(refusal instanceof Refusal && refusal.cause instanceof Error);
    assert.match(refusal.cause.message, /lock timeout/);
    assert.equal(refusal.cause.cause, undefined);
  });

  it('that are not about the storage stay unchanged', () => {
    const constraint = withFields({ errcode: 19 });
    const syntax = withFields({ code: '42601' });
    assert.equal(translateSqlite(constraint), constraint);
    assert.equal(translatePostgres(syntax), syntax);
    const refusal = new Refusal('device_exists', 'taken');
    assert.equal(translateSqlite(refusal), refusal);
    assert.equal(translatePostgres(refusal), refusal);
  });
});
