import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FILE = 'broker-client-id';
const VALID = /^granary-[0-9a-f]{16}$/;

/** The client id of this node at the external broker, kept in the data folder: after a restart the node gets what waits for it. */
export function brokerClientId(dataDir: string): string {
  const path = join(dataDir, FILE);
  const kept = read(path);
  if (VALID.test(kept)) return kept;
  const made = `granary-${randomBytes(8).toString('hex')}`;
  writeFileSync(path, made, { mode: 0o600 });
  return made;
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  }
}
