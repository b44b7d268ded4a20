import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { App } from '@granary/app/app';
import { SCOPES } from '@granary/contract/keys';
import type { Logger } from '../logging/logger.ts';
import { draftKey } from './keyring.ts';
import { hashSecret, newKey } from './secrets.ts';

const FIRST_NAME = 'first admin key';
const PRESET_NAME = 'admin key preset by GRANARY_ADMIN_KEY';

export interface AdminKey {
  readonly key: string;
  readonly isNew: boolean;
  /** The file with the key; `null` when the key was preset by a setting. */
  readonly file: string | null;
}

/** Makes sure that a valid admin key exists. */
export async function ensureAdminKey(
  { app, logger, nowMs }: { app: App; logger: Logger; nowMs: number },
  dataDir: string,
  preset: string | null,
): Promise<AdminKey> {
  if (preset !== null) {
    const wanted = draftKey({ name: PRESET_NAME, scopes: [...SCOPES] }, nowMs, preset);
    if ((await app.keys.preset(wanted.stored)) === 'restored') {
      logger.warn('the key in GRANARY_ADMIN_KEY had been revoked, limited or had ended; it is valid again');
    }
    return { key: preset, isNew: false, file: null };
  }
  const file = join(dataDir, 'admin-key');
  const kept = await readStored(file);
  const key = kept ?? newKey();
  if (kept === null) {
    await writeFile(file, `${key}\n`, { mode: 0o600, flag: 'wx' });
    await chmod(file, 0o600);
  }
  await createUnlessKnown(app, key, FIRST_NAME, nowMs);
  return { key, isNew: kept === null, file };
}

async function readStored(file: string): Promise<string | null> {
  try {
    return (await readFile(file, 'utf8')).trim() || null;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

async function createUnlessKnown(app: App, key: string, name: string, nowMs: number): Promise<void> {
  if ((await app.keys.findByHash(hashSecret(key))) !== undefined) return;
  await app.keys.create(draftKey({ name, scopes: [...SCOPES] }, nowMs, key).stored);
}
