import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { lockDataFolder } from '@granary/store/data-folder';
import { StoreOpenError } from '@granary/store/errors';
import { DATABASE_FILE } from '@granary/store/sqlite/database';
import { openApp } from '../app.ts';

const UNPRIVILEGED_UID = 65_534;

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'granary-folder-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const moduleUrl = (name: string): string => JSON.stringify(import.meta.resolve(name));

const runScript = (script: string) =>
  spawn(process.execPath, ['--eval', script, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });

/** Root may write anywhere, so the child process gives up its rights once it has loaded its modules. */
async function errorWithoutRights(moduleName: string, call: string): Promise<string> {
  const child = runScript(`
    import * as module from ${moduleUrl(moduleName)};
    if (process.getuid() === 0) process.setuid(${UNPRIVILEGED_UID});
    const folder = process.argv[1];
    try { await module.${call}; } catch (error) { console.log(error.name + ': ' + error.message); }
    process.exit();
  `);
  return (await text(child.stdout)).trim();
}

describe('the data folder lock', () => {
  it('refuses a second process, and can be taken again when the first is killed', async () => {
    const child = runScript(`
      import { lockDataFolder } from ${moduleUrl('@granary/store/data-folder')};
      globalThis.lock = lockDataFolder(process.argv[1]);
      console.log('held');
      setInterval(() => {}, 60_000);
    `);
    const exit = once(child, 'exit');
    try {
      await once(child.stdout, 'data');
      assert.throws(
        () => lockDataFolder(folder),
        new StoreOpenError(`the data folder ${folder} is in use by another process`),
      );
    } finally {
      child.kill('SIGKILL');
      await exit;
    }
    lockDataFolder(folder).release();
  });

  it('can be taken once in a process, and again after its release', () => {
    const lock = lockDataFolder(join(folder, 'new', 'folder'));
    assert.throws(() => lockDataFolder(join(folder, 'new', 'folder')), StoreOpenError);
    lock.release();
    lockDataFolder(join(folder, 'new', 'folder')).release();
  });
});

describe('a data folder', () => {
  it('is named in the error when it is a file', async () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    const expected = new StoreOpenError(`cannot use the data folder ${file}: it is a file, not a folder`);
    assert.throws(() => lockDataFolder(file), expected);
    await assert.rejects(openApp({ engine: 'sqlite', folder: file }), expected);
  });

  it('is named in the error when it is read-only', async () => {
    chmodSync(folder, 0o555);
    const expected = `StoreOpenError: cannot use the data folder ${folder}: permission denied`;
    assert.equal(await errorWithoutRights('@granary/store/data-folder', 'lockDataFolder(folder)'), expected);
    assert.equal(
      await errorWithoutRights('@granary/app/app', `openApp({ engine: 'sqlite', folder })`),
      expected,
    );
  });

  it('is named in the error when the database in it is read-only', async () => {
    await (await openApp({ engine: 'sqlite', folder })).close();
    chmodSync(folder, 0o777);
    const file = join(folder, DATABASE_FILE);
    chmodSync(file, 0o444);
    const expected = `StoreOpenError: cannot open the database ${file}: it is read-only`;
    assert.equal(
      await errorWithoutRights('@granary/app/app', `openApp({ engine: 'sqlite', folder })`),
      expected,
    );
  });

  it('has permissions for its owner alone, and so have all files in it', async () => {
    chmodSync(folder, 0o755);
    const modeOf = (name: string) => (statSync(join(folder, name)).mode & 0o777).toString(8);
    const lock = lockDataFolder(folder);
    const app = await openApp({ engine: 'sqlite', folder });
    const names = readdirSync(folder);
    assert.ok(
      [DATABASE_FILE, `${DATABASE_FILE}-wal`, `${DATABASE_FILE}-shm`, 'lock'].every((name) =>
        names.includes(name),
      ),
    );
    for (const name of names) assert.equal(modeOf(name), '600', name);
    assert.equal(modeOf('.'), '700');
    await app.close();
    lock.release();
  });

  it('gets permissions for its owner alone if an earlier version gave more', async () => {
    await (await openApp({ engine: 'sqlite', folder })).close();
    const file = join(folder, DATABASE_FILE);
    chmodSync(file, 0o644);
    await (await openApp({ engine: 'sqlite', folder })).close();
    assert.equal((statSync(file).mode & 0o777).toString(8), '600');
  });

  it('is made with its parents', () => {
    lockDataFolder(join(folder, 'a', 'b', 'c')).release();
    assert.equal((statSync(join(folder, 'a', 'b', 'c')).mode & 0o777).toString(8), '700');
  });

  it('is refused where nothing can be made, and where a file is in its way', () => {
    writeFileSync(join(folder, 'file'), '');
    for (const impossible of ['/proc/granary', '/proc/granary/data', join(folder, 'file')]) {
      assert.throws(() => lockDataFolder(impossible), {
        name: 'StoreOpenError',
        message: new RegExp(`^cannot use the data folder ${impossible}: `),
      });
    }
  });

  it('is named in the error when its database file is not a database', async () => {
    const file = join(folder, DATABASE_FILE);
    writeFileSync(file, 'not a database, but long enough to look at'.repeat(100));
    await assert.rejects(
      openApp({ engine: 'sqlite', folder }),
      new StoreOpenError(`cannot open the database ${file}: it is not a database`),
    );
  });
});

describe('a database with statements that are not of the service', () => {
  for (const statement of [
    'CREATE TRIGGER obey AFTER INSERT ON devices BEGIN DELETE FROM keys; END',
    'CREATE VIEW obey AS SELECT * FROM keys',
  ]) {
    it(`is not opened: ${statement}`, async () => {
      await (await openApp({ engine: 'sqlite', folder })).close();
      const database = new DatabaseSync(join(folder, DATABASE_FILE));
      database.exec(statement);
      database.close();
      await assert.rejects(
        openApp({ engine: 'sqlite', folder }),
        /has the (trigger|view) obey, which is not of/,
      );
    });
  }
});
