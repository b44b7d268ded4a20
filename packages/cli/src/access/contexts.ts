import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Environment } from '../program/environment.ts';
import { CommandFailure, EXIT } from '../program/explain.ts';

type Env = Environment['env'];

/** A service with its key. */
export interface Context {
  readonly url: string;
  readonly api_key: string;
  readonly silo_segment?: string;
  readonly field_segment?: string;
}

export interface Contexts {
  readonly current: string | null;
  readonly contexts: Readonly<Record<string, Context>>;
}

const NONE: Contexts = { current: null, contexts: {} };
const OWNER_ONLY = 0o600;
const FOLDER_MODE = 0o700;

export function contextsFile(env: Env): string {
  const configured = env['XDG_CONFIG_HOME'];
  const home = env['HOME'] ?? homedir();
  const folder = configured === undefined || configured === '' ? join(home, '.config') : configured;
  return join(folder, 'granary', 'contexts.json');
}

export function readContexts(env: Env): Contexts {
  const file = contextsFile(env);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return NONE;
    throw new CommandFailure(`${file} cannot be read`, { exitCode: EXIT.failed, cause });
  }
  try {
    return parsed(text);
  } catch (cause) {
    const cure = 'Repair it, or remove it and use `granary login` again.';
    throw new CommandFailure(`${file} does not have the form of a contexts file`, {
      exitCode: EXIT.failed,
      cure,
      cause,
    });
  }
}

function parsed(text: string): Contexts {
  const { current, contexts }: Partial<Contexts> = JSON.parse(text);
  if (typeof contexts !== 'object' || contexts === null) throw new TypeError('contexts is missing');
  for (const { url, api_key } of Object.values(contexts)) {
    if (typeof url !== 'string' || typeof api_key !== 'string')
      throw new TypeError('a context lacks its url or api_key');
  }
  return { current: typeof current === 'string' ? current : null, contexts };
}

/** The file is replaced by a rename, so that an interrupted write leaves the old file. */
export function writeContexts(env: Env, contexts: Contexts): void {
  const file = contextsFile(env);
  mkdirSync(dirname(file), { recursive: true, mode: FOLDER_MODE });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(contexts, null, 2)}\n`, { mode: OWNER_ONLY });
  chmodSync(draft, OWNER_ONLY);
  renameSync(draft, file);
}
