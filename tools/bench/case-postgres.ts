import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { startPostgres } from '../test-setup/postgres.ts';
import { measureAppend } from './case-append.ts';
import { measureIngest } from './case-ingest.ts';
import { measureReads } from './case-reads.ts';
import { measureStarts } from './case-starts.ts';
import { measureStop } from './case-stop.ts';
import type { Finding } from './report.ts';
import type { Storage } from './storage.ts';

const MEASUREMENTS = {
  reads: measureReads,
  ingest: measureIngest,
  append: measureAppend,
  stop: measureStop,
  starts: measureStarts,
};
const TARGETS = { reads: 0.45, stopMs: 50 };

/** Repeats the measurements of reads, ingest, stop and starts with PostgreSQL, and measures the storing of readings alone, each with a database of its own. */
export async function measurePostgres(dataDir: string): Promise<Finding[]> {
  const server = await startPostgres();
  const findings: Finding[] = [];
  try {
    for (const [name, measure] of Object.entries(MEASUREMENTS)) {
      const folder = join(dataDir, name);
      await mkdir(folder);
      const storage: Storage = {
        suffix: ' on PostgreSQL',
        databaseUrl: await newDatabase(server.url, name),
        targets: TARGETS,
      };
      findings.push(await measure(folder, storage));
    }
  } finally {
    await server.stop();
  }
  return findings;
}

async function newDatabase(serverUrl: string, name: string): Promise<string> {
  const client = new Client({ connectionString: serverUrl });
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
