import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { DeviceCredentials } from '@granary/contract/devices/devices';

const OWNER_ONLY = 0o600;
const OWNER_ONLY_FOLDER = 0o700;

/** A small file that is always written as a whole. */
export class JsonFile {
  readonly #path: string;
  #writing: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** Reads the file; returns `undefined` when it is missing or damaged; throws when reading it is not permitted. */
  async read(): Promise<unknown> {
    try {
      return JSON.parse(await readFile(this.#path, 'utf8'));
    } catch (failure) {
      if (failure instanceof SyntaxError) return undefined;
      if (failure instanceof Error && 'code' in failure && failure.code === 'ENOENT') return undefined;
      throw failure;
    }
  }

  /**
   * Resolves when the present contents, or later ones, are in the file. The contents are read when the write begins, so
   * that all callers who wait for the same write cost one write.
   */
  write(contents: () => unknown): Promise<void> {
    this.#next ??= this.#writing.then(() => {
      this.#next = undefined;
      const written = this.#replace(JSON.stringify(contents(), null, 2));
      this.#writing = written.catch(() => undefined);
      return written;
    });
    return this.#next;
  }

  /** Writes to a temporary file and renames it, so that a crash leaves either the old file or the new one. */
  async #replace(text: string): Promise<void> {
    const draft = `${this.#path}.draft`;
    await mkdir(dirname(this.#path), { recursive: true, mode: OWNER_ONLY_FOLDER });
    await writeFile(draft, `${text}\n`, { mode: OWNER_ONLY });
    await rename(draft, this.#path);
  }
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The file with the secrets of the simulated devices. */
export class CredentialsFile {
  readonly #file: JsonFile;
  readonly #secrets: Map<string, string>;

  private constructor(file: JsonFile, secrets: Map<string, string>) {
    this.#file = file;
    this.#secrets = secrets;
  }

  static async open(path: string): Promise<CredentialsFile> {
    const file = new JsonFile(path);
    const secrets = await file.read();
    return new CredentialsFile(file, new Map(isSecrets(secrets) ? Object.entries(secrets) : []));
  }

  find(deviceId: string): DeviceCredentials | undefined {
    const secret = this.#secrets.get(deviceId);
    return secret === undefined ? undefined : { username: deviceId, secret };
  }

  keep({ username, secret }: DeviceCredentials): Promise<void> {
    this.#secrets.set(username, secret);
    return this.#file.write(() => Object.fromEntries(this.#secrets));
  }
}

/** Missing secrets are not a fault, because new ones can be requested. */
const isSecrets = (value: unknown): value is Record<string, string> =>
  isRecord(value) && Object.values(value).every((secret) => typeof secret === 'string');

/** The file with the state that devices keep while they are switched off. */
export class MemoryFile {
  readonly #file: JsonFile;
  readonly #memories: Map<string, unknown>;

  private constructor(file: JsonFile, memories: Map<string, unknown>) {
    this.#file = file;
    this.#memories = memories;
  }

  static async open(path: string): Promise<MemoryFile> {
    const file = new JsonFile(path);
    const content = await file.read();
    return new MemoryFile(file, new Map(isRecord(content) ? Object.entries(content) : []));
  }

  /** Returns the stored state of a device; `undefined` when there is none, or an invalid one. */
  find<Memory>(deviceId: string, isMemory: (value: unknown) => value is Memory): Memory | undefined {
    const memory = this.#memories.get(deviceId);
    return isMemory(memory) ? memory : undefined;
  }

  keep(deviceId: string, memory: object): Promise<void> {
    this.#memories.set(deviceId, memory);
    return this.#file.write(() => Object.fromEntries(this.#memories));
  }
}
