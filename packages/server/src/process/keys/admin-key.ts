import { chmod, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { App } from '@granary/app/app';
import { patiently } from '@granary/common/patience';
import { SCOPES } from '@granary/contract/keys';
import { signInFragment } from '@granary/contract/session';
import { isStorageFault } from '@granary/store/errors';
import type { Logger } from '../logging/logger.ts';
import type { Nodes } from '../nodes/nodes.ts';
import type { Settings } from '../settings.ts';
import { draftKey } from './keyring.ts';
import { hashSecret, newKey, newSignInCode } from './secrets.ts';

/** All scopes; `operate` contains `stop` and `propose`. */
const EVERYTHING = SCOPES.filter((scope) => scope !== 'stop' && scope !== 'propose');
const FIRST_NAME = 'first admin key';
const PRESET_NAME = 'admin key preset by GRANARY_ADMIN_KEY';
const RESTORED = 'the key in GRANARY_ADMIN_KEY had been revoked, limited or had ended; it is valid again';

const OTHER_PRESET =
  'another node has another GRANARY_ADMIN_KEY; both keys are valid until it is started with the same one';
const ELSEWHERE =
  'the database has an admin key already, so this node makes no other; use that one, or set GRANARY_ADMIN_KEY to one of your own';

export interface AdminKey {
  /** The text of the key; empty when this node does not have it. */
  readonly key: string;
  /** Nobody has used the key yet, so the person who started the service may not know it. */
  readonly isUnused: boolean;
  /** The file with the key; `null` when the key was preset by a setting. */
  readonly file: string | null;
  /** True when the database had an admin key before this data folder existed. The database has only the hash of that key. */
  readonly isElsewhere?: true;
}

interface KeyParts {
  readonly app: App;
  readonly logger: Logger;
  readonly nowMs: number;
  readonly settings: Pick<Settings, 'dataDir' | 'adminKey'>;
  readonly nodes: Pick<Nodes, 'presetsOfOthers'>;
}

/** Makes sure that a valid admin key exists. */
export function ensureAdminKey(parts: KeyParts): Promise<AdminKey> {
  const { adminKey } = parts.settings;
  return adminKey === null ? keptOrNewKey(parts) : presetKey(parts, adminKey);
}

async function presetKey(parts: KeyParts, key: string): Promise<AdminKey> {
  const { app, logger, nowMs } = parts;
  const { presetsOfOthers } = parts.nodes;
  const { stored } = draftKey({ name: PRESET_NAME, scopes: EVERYTHING }, nowMs, key);
  const outcome = await patiently(isStorageFault, () => app.keys.preset(stored));
  if (outcome === 'restored') logger.warn(RESTORED);
  if (presetsOfOthers.some((hash) => hash !== stored.hash)) logger.warn(OTHER_PRESET);
  return { key, isUnused: false, file: null };
}

async function keptOrNewKey({ app, logger, nowMs, settings }: KeyParts): Promise<AdminKey> {
  const file = join(settings.dataDir, 'admin-key');
  const kept = await readStored(file);
  const key = kept ?? newKey();
  if (kept === null) {
    await writeFile(file, `${key}\n`, { mode: 0o600, flag: 'wx' });
    await chmod(file, 0o600);
  }
  const find = () => app.keys.findByHash(hashSecret(key));
  if ((await find()) === undefined) {
    const { stored } = draftKey({ name: FIRST_NAME, scopes: EVERYTHING }, nowMs, key);
    // With the embedded store the file is in the same folder as the data, so a person who removed the file wants another key.
    if (app.nodes === null) await app.keys.create(stored);
    else await patiently(isStorageFault, () => app.keys.createFirst(stored));
  }
  const stored = await find();
  if (stored !== undefined) return { key, isUnused: stored.lastUsedAtMs === null, file };
  if (kept === null) await rm(file);
  logger.warn(ELSEWHERE);
  return { key: '', isUnused: false, file: null, isElsewhere: true };
}

async function readStored(file: string): Promise<string | null> {
  try {
    return (await readFile(file, 'utf8')).trim() || null;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

interface LinkParts {
  readonly app: Pick<App, 'keys' | 'session'>;
  readonly adminKey: AdminKey;
  /** The address at which people reach the service. */
  readonly baseUrl: string;
  readonly nowMs: number;
}

export interface SignInLink {
  readonly validMs: number;
  /** The account of the machine, whose name the page offers to the person who opens the link. */
  readonly account: string | undefined;
}

/** A link that signs in once with the admin key; without `link` the result is only the address of the page. */
export async function firstConsoleLink(parts: LinkParts, link: SignInLink | undefined): Promise<string> {
  const { app, adminKey, baseUrl, nowMs } = parts;
  const key = link === undefined ? undefined : await app.keys.findByHash(hashSecret(adminKey.key));
  if (link === undefined || key === undefined) return `${baseUrl}/`;
  const code = newSignInCode();
  await app.session.createCode({
    hash: hashSecret(code),
    keyId: key.keyId,
    sessionHash: null,
    createdAtMs: nowMs,
    expiresAtMs: nowMs + link.validMs,
  });
  return `${baseUrl}/${signInFragment(code, link.account)}`;
}
