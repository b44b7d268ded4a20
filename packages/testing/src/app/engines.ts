import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe } from 'node:test';
import type { App, StoreLocation } from '@granary/app/app';
import { NUMBERS } from '@granary/store/postgres/types';
import type { Value } from '@granary/store/sql';
import { DATABASE_FILE, openWriter } from '@granary/store/sqlite/database';
import { SqliteSql } from '@granary/store/sqlite/sql';
import { Client } from 'pg';
import { openRecordingApp } from './recorded-effects.ts';

/** The address of a PostgreSQL server on which tests may create and drop databases. */
const SERVER_VARIABLE = 'GRANARY_TEST_DATABASE_URL';
/** The empty database that every PostgreSQL server has. */
export const WITHOUT_SCHEMA = 'template1';
/** A database on that server with the present schema. It is copied, because a copy is much faster than a migration. */
const WITH_SCHEMA = process.env['GRANARY_TEST_DATABASE_TEMPLATE'] ?? WITHOUT_SCHEMA;

/** An engine under test, with an empty database that is removed afterwards. */
export interface TestEngine {
  readonly name: StoreLocation['engine'];
  /** The place of the database, which is available when the tests run. */
  readonly location: StoreLocation;
  /**
   * Opens the database, also repeatedly; everything still open at the end is closed. A call may take minutes: on a busy machine calls take
   * longer than a service waits, and would otherwise be refused.
   */
  open(): Promise<App>;
  /** Opens the database with the time limits of a service. */
  openWithLimits(): Promise<App>;
  /** Runs SQL directly on the database. */
  query(text: string): Promise<Value[][]>;
}

type Suite = (engine: TestEngine) => void;

/** Runs the same suite on SQLite and on PostgreSQL. */
export function describeEachEngine(name: string, suite: Suite, template?: string): void {
  describeSqlite(name, suite);
  describePostgres(name, suite, template);
}

/** Runs a suite that does not depend on the database, on SQLite only. */
export function describeSqlite(name: string, suite: Suite): void {
  describeOn(sqliteDatabase(), name, suite);
}

/** Runs a suite about faults that only PostgreSQL can have; `WITHOUT_SCHEMA` is the template for suites about a new database. */
export function describePostgres(name: string, suite: Suite, template = WITH_SCHEMA): void {
  describeOn(postgresDatabase(template), name, suite);
}

function describeOn(database: TestDatabase, name: string, suite: Suite): void {
  describe(`${name} (${database.name})`, () => {
    const opened: App[] = [];
    const open = async (location: StoreLocation) => {
      const app = await openRecordingApp(location);
      opened.push(app);
      return app;
    };
    before(() => database.create());
    suite({
      name: database.name,
      get location() {
        return database.location();
      },
      open: () => open(patient(database.location())),
      openWithLimits: () => open(database.location()),
      query: (text) => database.query(text),
    });
    // This is registered last, so that the clean-up of the suite still finds its database.
    after(async () => {
      await Promise.all(opened.map((app) => app.close()));
      await database.drop();
    });
  });
}

/** The limit is minutes; a test that passes does not wait for it. */
const PATIENCE_MS = 120_000;
const PATIENT_LIMITS = {
  callMs: PATIENCE_MS,
  lockMs: PATIENCE_MS,
  longMs: PATIENCE_MS,
  statementMs: PATIENCE_MS,
  idleInTransactionMs: PATIENCE_MS,
};

const patient = (location: StoreLocation): StoreLocation =>
  location.engine === 'postgres' ? { ...location, limits: PATIENT_LIMITS } : location;

interface TestDatabase {
  readonly name: StoreLocation['engine'];
  create(): Promise<void>;
  location(): StoreLocation;
  query(text: string): Promise<Value[][]>;
  drop(): Promise<void>;
}

function sqliteDatabase(): TestDatabase {
  let folder = '';
  return {
    name: 'sqlite',
    async create() {
      folder = mkdtempSync(join(tmpdir(), 'granary-store-'));
    },
    location: () => ({ engine: 'sqlite', folder }),
    query: (text) => queryStore({ engine: 'sqlite', folder }, text),
    async drop() {
      rmSync(folder, { recursive: true });
    },
  };
}

function postgresDatabase(template: string): TestDatabase {
  const name = `granary_${crypto.randomUUID().replaceAll('-', '')}`;
  const url = (): string => {
    const own = new URL(serverUrl());
    own.pathname = `/${name}`;
    return own.href;
  };
  return {
    name: 'postgres',
    async create() {
      await queryServer(serverUrl(), `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`);
    },
    location: () => ({ engine: 'postgres', url: url() }),
    query: (text) => queryStore({ engine: 'postgres', url: url() }, text),
    async drop() {
      await queryServer(serverUrl(), `DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}

/** Runs SQL directly on a database, also beside a service that uses it. */
export async function queryStore(location: StoreLocation, text: string): Promise<Value[][]> {
  if (location.engine === 'postgres') return await queryServer(location.url, text);
  const database = openWriter(join(location.folder, DATABASE_FILE));
  try {
    return await new SqliteSql(database).queryArrays<Value[]>(text);
  } finally {
    database.close();
  }
}

async function queryServer(connectionString: string, text: string): Promise<Value[][]> {
  const client = new Client({ connectionString, types: NUMBERS });
  await client.connect();
  try {
    return (await client.query({ text, rowMode: 'array' })).rows;
  } finally {
    await client.end();
  }
}

function serverUrl(): string {
  const url = process.env[SERVER_VARIABLE];
  if (url === undefined || url === '') throw new Error(`${SERVER_VARIABLE} must name a PostgreSQL server`);
  return url;
}
