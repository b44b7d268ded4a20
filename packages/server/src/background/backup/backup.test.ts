import assert from 'node:assert/strict';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import { type App, openApp } from '@granary/app/app';
import { lockDataFolder } from '@granary/store/data-folder';
import { batchOf, newDevice, reading } from '@granary/testing/app/fixtures';
import { makeSmallDisk } from '@granary/testing/app/small-disk';
import { backUp, restore } from './backup.ts';

const NOW_MS = Date.UTC(2026, 10, 15, 19, 20, 30);
const NAME = 'granary-20261115T192030Z.db';
const READINGS = 3_000;
const REPLACE = { replace: true };
const KEEP = { replace: false };

describe('a backup and its restore', () => {
  let root = '';
  let dataDir = '';
  let app: App;
  const place = (folder = dataDir) => ({ databaseUrl: null, dataDir: folder });
  const newFolder = (name: string): string => {
    const folder = join(root, name);
    mkdirSync(folder);
    return folder;
  };
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'granary-backup-'));
    dataDir = newFolder('data');
    app = await openApp({ engine: 'sqlite', folder: dataDir });
    const { deviceNo } = await app.devices.register(newDevice({ deviceId: 'silo-backup' }));
    const readings = Array.from({ length: READINGS }, (_, n) =>
      reading(deviceNo, NOW_MS - n, { weight: 1_000 + n }),
    );
    await app.telemetry.append(batchOf({ readings }));
  });
  after(async () => {
    await app.close();
    await rm(root, { recursive: true, force: true });
  });

  test('is one private file with everything, made while the database is open for writing', async () => {
    const folder = newFolder('to-folder');
    const shares: number[] = [];
    const made = await backUp(place(), folder, NOW_MS, { onProgress: (share) => shares.push(share) });
    assert.equal(made.file, join(folder, NAME));
    assert.equal(made.newestReadingMs, NOW_MS);
    assert.equal(made.devices, 1);
    assert.equal(made.bytes, statSync(made.file).size);
    assert.equal(statSync(made.file).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(folder), [NAME]);
    assert.ok(shares.every((share) => share >= 0 && share <= 1));

    const target = newFolder('restored');
    await restore(place(target), made.file, NOW_MS, KEEP);
    assert.equal(await countIn(target), READINGS);
    assert.equal(statSync(join(target, 'granary.db')).mode & 0o777, 0o600);
    const copy = await openApp({ engine: 'sqlite', folder: target });
    assert.equal((await copy.devices.find('silo-backup'))?.name, 'Silo');
    await copy.close();
  });

  test('without a name it goes into the folder backups of the data folder', async () => {
    const { file } = await backUp(place(), null, NOW_MS);
    assert.equal(file, join(dataDir, 'backups', NAME));
    await assert.rejects(backUp(place(), null, NOW_MS), { message: `${file} exists already` });
  });

  test('faults of the places are named, and nothing is left behind', async () => {
    const missing = join(root, 'missing');
    const wrongPlaces = [
      [backUp(place(missing), null, NOW_MS), /there is no database in .*missing; GRANARY_DATA_DIR/],
      [backUp(place(missing), join(root, 'x.db'), NOW_MS), /there is no database .*granary\.db/],
      [backUp(place(), join(missing, 'x.db'), NOW_MS), /the folder .*missing does not exist/],
      [backUp(place(), `${missing}/`, NOW_MS), /the folder .*missing does not exist/],
      [backUp({ ...place(), databaseUrl: 'postgres://u:secret@h/d' }, null, NOW_MS), /use pg_dump/],
    ] as const;
    for (const [attempt, message] of wrongPlaces) await assert.rejects(attempt, { message });
    assert.equal(existsSync(missing), false);
  });

  test('an interrupted backup leaves nothing', async () => {
    const folder = newFolder('interrupted');
    const signal = AbortSignal.abort();
    await assert.rejects(backUp(place(), folder, NOW_MS, { signal }), { message: /interrupted/ });
    assert.deepEqual(readdirSync(folder), []);
  });

  test('a full disk is one clear line, and nothing is left behind', async (t) => {
    const disk = makeSmallDisk();
    t.after(() => disk.remove());
    disk.fill();
    await assert.rejects(backUp(place(), disk.folder, NOW_MS), {
      message: /^cannot copy .*: (the disk is full|the disk reports an error)$/,
    });
    disk.freeSpace();
    assert.deepEqual(readdirSync(disk.folder), []);
    const { file } = await backUp(place(), disk.folder, NOW_MS);
    assert.equal(existsSync(file), true);
  });

  test('a restore never replaces a database unless it is told to, and keeps the replaced one', async () => {
    const { file } = await backUp(place(), join(root, 'good.db'), NOW_MS);
    const target = newFolder('existing');
    const other = await openApp({ engine: 'sqlite', folder: target });
    await other.devices.register(newDevice({ deviceId: 'silo-other' }));
    await other.close();
    const old = readFileSync(join(target, 'granary.db'));
    await assert.rejects(restore(place(target), file, NOW_MS, KEEP), {
      message: /has a database; --force replaces it/,
    });
    assert.deepEqual(readFileSync(join(target, 'granary.db')), old);
    const { kept } = await restore(place(target), file, NOW_MS, REPLACE);
    assert.equal(kept, join(target, 'granary.db.before-20261115T192030Z'));
    assert.equal(devicesIn(kept).join(), 'silo-other');
    assert.equal(devicesIn(join(target, 'granary.db')).join(), 'silo-backup');
    assert.equal(await countIn(target), READINGS);
  });

  test('a database whose service was killed is kept with what was only in its WAL', async () => {
    const { file } = await backUp(place(), join(root, 'for-killed.db'), NOW_MS);
    const target = newFolder('killed');
    await app.devices.register(newDevice({ deviceId: 'silo-wal' }));
    for (const name of ['granary.db', 'granary.db-wal'])
      copyFileSync(join(dataDir, name), join(target, name));
    const { kept } = await restore(place(target), file, NOW_MS, REPLACE);
    assert.ok(kept !== null);
    assert.ok(devicesIn(kept).includes('silo-wal'));
    assert.equal(devicesIn(join(target, 'granary.db')).join(), 'silo-backup');
  });

  test('a folder in use and unusable files are refused, and the folder keeps what it had', async () => {
    const { file } = await backUp(place(), join(root, 'whole.db'), NOW_MS);
    const target = newFolder('in-use');
    const lock = lockDataFolder(target);
    await assert.rejects(restore(place(target), file, NOW_MS, REPLACE), {
      message: /is in use by another process/,
    });
    lock.release();

    const bytes = readFileSync(file);
    const damaged = Buffer.from(bytes);
    damaged.fill(0xa5, damaged.length / 2, damaged.length / 2 + 8_192);
    const newer = join(root, 'newer.db');
    writeFileSync(newer, bytes);
    alter(newer, 'UPDATE granary_schema SET version = 999');
    const foreign = join(root, 'foreign.db');
    alter(foreign, 'CREATE TABLE songs (title TEXT)');
    const triggered = join(root, 'triggered.db');
    writeFileSync(triggered, bytes);
    alter(triggered, 'CREATE TRIGGER obey AFTER INSERT ON keys BEGIN DELETE FROM audit; END');
    const unusable = [
      [join(root, 'missing.db'), /there is no file .*missing\.db/],
      [
        write('text.db', 'not a database, but long enough to be read as one'.repeat(100)),
        /it is not a database/,
      ],
      [write('empty.db', ''), /is not a Granary database/],
      [write('half.db', bytes.subarray(0, bytes.length / 2)), /is damaged/],
      [write('damaged.db', damaged), /is damaged/],
      [newer, /newer\.db was written by a newer version \(schema 999/],
      [foreign, /foreign\.db is not a Granary database/],
      [triggered, /triggered\.db has the trigger obey, which is not of this service/],
      [root, /cannot/],
    ] as const;
    const database = join(target, 'granary.db');
    writeFileSync(database, bytes);
    for (const [unusableFile, message] of unusable) {
      await assert.rejects(restore(place(target), unusableFile, NOW_MS, REPLACE), { message }, unusableFile);
      assert.deepEqual(readFileSync(database), bytes);
      assert.deepEqual(readdirSync(target).sort(), ['granary.db', 'lock']);
    }
  });

  const write = (name: string, content: string | Uint8Array): string => {
    writeFileSync(join(root, name), content);
    return join(root, name);
  };

  test('events after a restore never get the numbers of events that were lost', async () => {
    const { file } = await backUp(place(), join(root, 'events.db'), NOW_MS);
    const newestBefore = (await app.events.bounds()).newest;
    await app.devices.register(newDevice({ deviceId: 'silo-lost' }));
    const newestLost = (await app.events.bounds()).newest;
    assert.ok(newestLost > newestBefore);
    const target = newFolder('events');
    await restore(place(target), file, NOW_MS, KEEP);
    const restored = await openApp({ engine: 'sqlite', folder: target });
    await restored.devices.register(newDevice({ deviceId: 'silo-new' }));
    const [first] = await restored.events.after({ sequence: newestBefore, limit: 1 });
    await restored.close();
    assert.ok(first !== undefined && first.sequence > newestLost);
  });
});

async function countIn(folder: string): Promise<number> {
  const database = new DatabaseSync(join(folder, 'granary.db'), { readOnly: true });
  const row = database.prepare('SELECT COUNT(*) AS n FROM readings').get();
  database.close();
  return Number(row?.['n']);
}

function devicesIn(file: string): unknown[] {
  const database = new DatabaseSync(file);
  const rows = database.prepare('SELECT device_id FROM devices ORDER BY device_id').all();
  database.close();
  return rows.map((row) => row['device_id']);
}

function alter(file: string, text: string): void {
  const database = new DatabaseSync(file);
  database.exec(text);
  database.close();
}
