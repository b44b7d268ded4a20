import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { fieldsOf, insertRows, updateRows } from './rows.ts';
import { SqliteSql } from './sqlite/sql.ts';

describe('rows', () => {
  const open = async () => {
    const sql = new SqliteSql(new DatabaseSync(':memory:'));
    await sql.run(
      'CREATE TABLE silos (silo_no BIGINT PRIMARY KEY, name TEXT, zone TEXT, capacity_kg BIGINT)',
    );
    return sql;
  };
  const NORTH = { siloNo: 1, name: 'North', zone: 'A', capacityKg: 5_000 };
  const SOUTH = { siloNo: 2, name: 'South', zone: 'B', capacityKg: null };

  it('are read and written by the names of their columns, in whatever order these are listed', async () => {
    const sql = await open();
    const { siloNo, ...others } = SOUTH;
    assert.equal(await insertRows(sql, { table: 'silos' }, [NORTH, { ...others, siloNo }]), 2);
    for (const list of ['silo_no, name, zone, capacity_kg', 'capacity_kg, zone, name, silo_no']) {
      assert.deepEqual(await sql.query(`SELECT ${list} FROM silos ORDER BY silo_no`), [NORTH, SOUTH]);
    }
  });

  it('are changed where the key is the same', async () => {
    const sql = await open();
    await insertRows(sql, { table: 'silos' }, [NORTH, SOUTH]);
    const changes = { zone: 'C', capacityKg: 7 };
    assert.equal(await updateRows(sql, 'silos', { siloNo: 2, name: 'South' }, changes), 1);
    assert.equal(await updateRows(sql, 'silos', { siloNo: 1, name: 'South' }, changes), 0);
    const stored = await sql.query('SELECT * FROM silos ORDER BY silo_no');
    assert.deepEqual(stored, [NORTH, { ...SOUTH, ...changes }]);
  });

  it('leave an existing row as it is, if the clause says so', async () => {
    const sql = await open();
    const target = { table: 'silos', onConflict: 'ON CONFLICT (silo_no) DO NOTHING' };
    assert.equal(await insertRows(sql, target, [NORTH]), 1);
    assert.equal(await insertRows(sql, target, [{ ...NORTH, name: 'another' }]), 0);
    assert.deepEqual(await sql.query('SELECT name FROM silos'), [{ name: 'North' }]);
  });

  it('need a name of its own for every value', async () => {
    const sql = await open();
    await assert.rejects(sql.query('SELECT COUNT(*) FROM silos'), /need names of their own/);
    await assert.rejects(sql.query('SELECT name, zone AS name FROM silos'), /need names of their own/);
    assert.deepEqual(await sql.query('SELECT COUNT(*) AS count FROM silos'), [{ count: 0 }]);
    assert.throws(() => fieldsOf(['?column?']), /need names of their own/);
  });
});
