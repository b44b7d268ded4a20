import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

const OWNER_ONLY = 0o600;
const OWNER_ONLY_FOLDER = 0o700;

/** A small file that is always written whole. */
export class JsonFile {
  readonly #path: string;
  #writing: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** Nothing when the file is gone or damaged. One that may not be read is a fault. */
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
   * Resolves when the contents, as they are now or later, are in the file. They are asked for when their turn comes, so
   * any number of callers who wait for the same turn cost one write.
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

  /** Written aside and moved into place, so that a crash leaves the old file or the new one. */
  async #replace(text: string): Promise<void> {
    const draft = `${this.#path}.draft`;
    await mkdir(dirname(this.#path), { recursive: true, mode: OWNER_ONLY_FOLDER });
    await writeFile(draft, `${text}\n`, { mode: OWNER_ONLY });
    await rename(draft, this.#path);
  }
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
