import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

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

  /** `undefined` when the file is missing or damaged; throws when reading it is not permitted. */
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
