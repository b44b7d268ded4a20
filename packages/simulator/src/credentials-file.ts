import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { DeviceCredentials } from '@granary/contract/devices';

const OWNER_ONLY = 0o600;
const OWNER_ONLY_FOLDER = 0o700;

/** Where the farm keeps its devices' secrets, as a device would in its own memory. */
export class CredentialsFile {
  readonly #path: string;
  readonly #secrets: Map<string, string>;
  #writing: Promise<void> = Promise.resolve();

  private constructor(path: string, secrets: Map<string, string>) {
    this.#path = path;
    this.#secrets = secrets;
  }

  static async open(path: string): Promise<CredentialsFile> {
    return new CredentialsFile(path, new Map(Object.entries(await readSecrets(path))));
  }

  find(deviceId: string): DeviceCredentials | undefined {
    const secret = this.#secrets.get(deviceId);
    return secret === undefined ? undefined : { username: deviceId, secret };
  }

  /** Written aside and moved into place, so that a crash leaves the old file or the new one. */
  keep({ username, secret }: DeviceCredentials): Promise<void> {
    this.#secrets.set(username, secret);
    const write = async () => {
      const draft = `${this.#path}.draft`;
      const text = `${JSON.stringify(Object.fromEntries(this.#secrets), null, 2)}\n`;
      await mkdir(dirname(this.#path), { recursive: true, mode: OWNER_ONLY_FOLDER });
      await writeFile(draft, text, { mode: OWNER_ONLY });
      await rename(draft, this.#path);
    };
    this.#writing = this.#writing.then(write, write);
    return this.#writing;
  }
}

/** A file that is gone or damaged has lost its secrets; new ones can be had. One that may not be read is a fault. */
async function readSecrets(path: string): Promise<Record<string, string>> {
  try {
    const secrets: unknown = JSON.parse(await readFile(path, 'utf8'));
    return isSecrets(secrets) ? secrets : {};
  } catch (failure) {
    if (failure instanceof SyntaxError) return {};
    if (failure instanceof Error && 'code' in failure && failure.code === 'ENOENT') return {};
    throw failure;
  }
}

function isSecrets(value: unknown): value is Record<string, string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.values(value).every((secret) => typeof secret === 'string');
}
