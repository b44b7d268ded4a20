import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { Client } from 'pg';
import { startPostgres } from './postgres.ts';

test('a PostgreSQL for tests: durable, with the collation of a usual server, removed after stop', async () => {
  const postgres = await startPostgres();
  let dataFolder: unknown;
  try {
    const client = new Client(postgres.url);
    await client.connect();
    try {
      await client.query('CREATE DATABASE mine');
      const { rows } = await client.query(
        `SELECT current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS synchronous,
          current_setting('server_version_num')::int >= 180000 AS new_enough, 'a' < 'B' AS by_language,
          current_setting('data_directory') AS folder`,
      );
      const { folder, ...settings } = rows[0];
      assert.deepEqual(settings, { fsync: 'on', synchronous: 'on', new_enough: true, by_language: true });
      dataFolder = folder;
    } finally {
      await client.end();
    }
  } finally {
    await postgres.stop();
  }
  assert.equal(existsSync(String(dataFolder)), false);
  await assert.rejects(new Client(postgres.url).connect());
});

test('a frozen PostgreSQL answers nothing until it continues, and a killed one keeps what was committed', async () => {
  const postgres = await startPostgres();
  try {
    const ask = async (text: string): Promise<unknown[]> => {
      const client = new Client(postgres.url);
      client.on('error', () => undefined);
      await client.connect();
      try {
        return (await client.query(text)).rows;
      } finally {
        await client.end();
      }
    };
    await ask('CREATE TABLE kept AS SELECT 7 AS n');
    await postgres.freeze();
    const answered = ask('SELECT n FROM kept');
    const first = await Promise.race([answered, new Promise((resolve) => setTimeout(resolve, 500, 'none'))]);
    assert.equal(first, 'none');
    await postgres.thaw();
    assert.deepEqual(await answered, [{ n: 7 }]);
    await postgres.kill();
    await assert.rejects(ask('SELECT 1'));
    await postgres.restart();
    assert.deepEqual(await ask('SELECT n FROM kept'), [{ n: 7 }]);
  } finally {
    await postgres.stop();
  }
});
