import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import { versionRecord } from '@granary/core/configuration/versions';
import { StoreOpenError } from '@granary/store/errors';
import { type App, openApp } from '../app.ts';
import { describeEachEngine, type TestEngine } from '../testing/engines.ts';
import { latestOf } from '../testing/fixtures.ts';
import {
  answersFile,
  COMPLETE_SCHEMAS,
  OLD_SCHEMAS,
  restoreOldDatabase,
  WRITTEN_AT_MS,
} from '../testing/old-databases.ts';
import { storedAnswers } from '../testing/stored-answers.ts';

const LIMIT = 1_000;

async function deviceNo(app: App, deviceId: string): Promise<number> {
  const device = await app.devices.find(deviceId);
  assert(device !== undefined, deviceId);
  return device.deviceNo;
}

async function tablesOf(engine: TestEngine): Promise<unknown[]> {
  const rows = await engine.query(
    engine.name === 'sqlite'
      ? `SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`
      : `SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace
           AND NOT relispartition ORDER BY relname COLLATE "C"`,
  );
  return rows.map(([name]) => name);
}

/** Names, types and defaults of all columns, and the definitions of all indexes. */
async function schemaOf(engine: TestEngine): Promise<unknown[][]> {
  if (engine.name === 'sqlite') {
    const columns = await engine.query(
      `SELECT tables.name, columns.name, columns.type, columns."notnull", columns.dflt_value, columns.pk
       FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns
       WHERE tables.type = 'table' ORDER BY 1, 2`,
    );
    const indexes = await engine.query(
      `SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY name`,
    );
    return [...columns, ...indexes];
  }
  const isOurs = `schemaname = 'public' AND tablename NOT LIKE 'readings\\_%'`;
  const columns = await engine.query(
    `SELECT table_name, column_name, data_type, is_nullable, column_default FROM information_schema.columns
     WHERE table_schema = 'public' AND table_name NOT LIKE 'readings\\_%' ORDER BY 1, 2`,
  );
  return [...columns, ...(await engine.query(`SELECT indexdef FROM pg_indexes WHERE ${isOurs} ORDER BY 1`))];
}

describe('databases that older versions wrote', () => {
  const schemas = new Map<string, unknown[][]>();
  describeEachEngine('none: a new database', (engine) => {
    before(async () => {
      await engine.open();
      schemas.set(engine.name, await schemaOf(engine));
    });
    it('has tables', () => assert.notEqual(schemas.get(engine.name)?.length, 0));
    it('has the tables that docs/schema.md lists', async () => {
      const document = readFileSync(new URL('../../../../docs/schema.md', import.meta.url), 'utf8');
      const ofBoth = engine.name === 'postgres' ? '' : '(?! PostgreSQL only:)';
      const rows = document.matchAll(new RegExp(`^\\| \`(\\w+)\` \\|${ofBoth}`, 'gm'));
      const listed = [...rows].map(([, table]) => table);
      assert.deepEqual(listed.toSorted(), await tablesOf(engine));
    });
  });

  for (const schema of OLD_SCHEMAS) {
    describeEachEngine(`schema ${schema}`, (engine) => {
      let app: App;
      before(async () => {
        await restoreOldDatabase(engine.location, schema);
        app = await engine.open();
      });

      it('has the same tables as a new database afterwards', async () => {
        assert.deepEqual(await schemaOf(engine), schemas.get(engine.name));
      });

      it('opens a second time without a change', async () => {
        const again = await engine.open();
        assert.equal((await again.devices.find('silo-alerts'))?.capacityKg, 10_000);
      });

      it('keeps its readings, and its devices are evaluated from then on', async () => {
        const siloNo = await deviceNo(app, 'silo-alerts');
        const { weight } = await latestOf(app, siloNo);
        assert.partialDeepStrictEqual(weight, { value: 500_000, tsMs: WRITTEN_AT_MS });
        await app.alerts.evaluateDue({ nowMs: WRITTEN_AT_MS, limit: LIMIT });
        const page = { deviceNo: siloNo, filter: 'open', beforeAlertId: null, limit: LIMIT } as const;
        const types = (await app.alerts.list(page)).map(({ type }) => type);
        assert.deepEqual(types.filter((type) => type.endsWith('_level')).toSorted(), [
          'critical_level',
          'low_level',
        ]);
      });

      it('has a configuration for each of its devices', async () => {
        const ofSilo = await app.configuration.get(await deviceNo(app, 'silo-alerts'));
        assert.partialDeepStrictEqual(ofSilo?.configuration, { thresholds: { low_level: 20 } });
        const ofRover = await app.configuration.get(await deviceNo(app, 'rover-commands'));
        assert.partialDeepStrictEqual(ofRover?.configuration, { geofence: null, motion: { speed_m_s: 1.5 } });
        assert.equal(ofRover?.version, 1);
      });

      it('has the present configuration of each device as its only version, without a caller', async () => {
        const siloNo = await deviceNo(app, 'silo-alerts');
        const present = await app.configuration.get(siloNo);
        const [version, ...more] = (await app.configuration.versions(siloNo, null, LIMIT)).map(versionRecord);
        assert.deepEqual(more, []);
        assert.partialDeepStrictEqual(version, { ...present, actor: null });
        const { version: next } = await app.configuration.change(siloNo, {}, WRITTEN_AT_MS);
        const versions = await app.configuration.versions(siloNo, null, LIMIT);
        assert.deepEqual(
          versions.map((row) => row.version),
          [next, present?.version],
        );
      });
    });
  }

  for (const schema of COMPLETE_SCHEMAS) {
    describeEachEngine(`schema ${schema}, every answer`, (engine) => {
      it('is byte for byte the same as before the migration', async (context) => {
        await restoreOldDatabase(engine.location, schema);
        const answers = await storedAnswers(await engine.open(), engine.location);
        context.assert.fileSnapshot(answers, answersFile(schema), { serializers: [String] });
      });
    });
  }

  describeEachEngine('an upgrade', (engine) => {
    it('is announced before it begins, and only then', async () => {
      const announced: string[] = [];
      const open = async (name: string) => {
        const app = await openApp(engine.location, undefined, (from) => announced.push(`${name} ${from}`));
        await app.close();
      };
      await restoreOldDatabase(engine.location, 3);
      await open('old');
      await open('upgraded');
      assert.deepEqual(announced, ['old 3']);
    });
  });

  describeEachEngine('a migration that fails half-way', (engine) => {
    it('leaves the old version as it was, and is carried out at the next start', async () => {
      await restoreOldDatabase(engine.location, 3);
      const before = await schemaOf(engine);
      // This table makes one of the last statements fail, after most others have been carried out.
      await engine.query('CREATE TABLE open_buckets (conflicting BIGINT)');
      await assert.rejects(engine.open(), StoreOpenError);
      await engine.query('DROP TABLE open_buckets');
      assert.deepEqual(await schemaOf(engine), before);
      assert.deepEqual(await engine.query('SELECT version FROM schema_version'), [[3]]);
      await engine.open();
      assert.deepEqual(await schemaOf(engine), schemas.get(engine.name));
    });
  });
});
