import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { checker, closed } from '@granary/contract/input/schema';
import { type Static, Type } from 'typebox';

const Text = Type.String({ maxLength: 1_000 });

/** The secrets, which must not be in the site file, because people copy it and send it to others. */
const Secrets = closed({
  /** An API key of the scope `ingest`, with which the bridge reports. */
  key: Type.Optional(Text),
  /** The secrets of the devices, by device id. */
  devices: Type.Record(Text, Text),
  /** Names and passwords for brokers and pages, by endpoint. */
  endpoints: Type.Optional(Type.Record(Text, closed({ username: Text, password: Text }))),
});
export type Secrets = Static<typeof Secrets>;

const checkSecrets = checker(Secrets);

export const NO_SECRETS: Secrets = { devices: {} };

/** An error of the secrets file; its message tells what to do. */
export class SecretsError extends Error {}

/** Refuses a file that other people of the machine can read. */
export async function readSecrets(file: string): Promise<Secrets> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
    const { mode } = await stat(file);
    if (process.platform !== 'win32' && (mode & 0o077) !== 0)
      throw new SecretsError(`${file} can be read by others; run: chmod 600 ${file}`);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return NO_SECRETS;
    throw error;
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new SecretsError(`${file} is not JSON`, { cause });
  }
  if (checkSecrets.accepts(value)) return value;
  const [fault] = checkSecrets.faults(value);
  throw new SecretsError(`${file}: ${fault?.path} ${fault?.message}`);
}

/** Writes the file completely or not at all, even if the machine loses power. */
export async function writePrivately(file: string, text: string, mode = 0o600): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  const handle = await open(draft, 'wx', mode);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(draft, file);
}

export const writeSecrets = (file: string, secrets: Secrets): Promise<void> =>
  writePrivately(file, `${JSON.stringify(secrets, null, 2)}\n`);
