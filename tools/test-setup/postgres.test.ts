import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { Client } from 'pg';
import { startPostgres } from './postgres.ts';

test('a PostgreSQL of its own: durable, sorting like a server in the field, gone after stop', async () => {
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
