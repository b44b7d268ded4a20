import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CONSOLE_FILE_TYPES } from '@granary/contract/console';

/** Where the build puts the page, in the repository and in the package that users install. */
export const CONSOLE_FOLDER = fileURLToPath(new URL('../../../../../dist/console', import.meta.url));

/** The build writes this file last. */
const MARK = 'built-from';
const FILES_MAX = 1_000;
const KEPT_BYTES_MAX = 64 * 1024 * 1024;

export type Encoding = 'identity' | 'br' | 'gzip';
const SUFFIX_OF: Readonly<Record<Encoding, string>> = { identity: '', br: '.br', gzip: '.gz' };

/** A file of the built page, with the copies that the build has compressed. */
export interface ConsoleFile {
  readonly type: string;
  readonly encodings: readonly Encoding[];
  body(encoding: Encoding): Promise<Buffer>;
  /** The tag is weak, because the compressed copies have the same one. */
  etag(): Promise<string>;
}

type FilesByPath = ReadonlyMap<string, ConsoleFile>;

/** The built page. The names of its files are read once, so no path from outside reaches the file system. */
export class BuiltConsole {
  readonly #folder: string;
  #builtAtMs: number | null = null;
  #files: FilesByPath = new Map();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Looks for a new build first. `undefined` where the page is not built. */
  async page(): Promise<ConsoleFile | undefined> {
    const builtAtMs = await builtAt(this.#folder);
    if (builtAtMs !== this.#builtAtMs) {
      this.#files = builtAtMs === null ? new Map() : await filesOf(this.#folder);
      this.#builtAtMs = builtAtMs;
    }
    return this.#files.get('/index.html');
  }

  async file(path: string): Promise<ConsoleFile | undefined> {
    // After a restart a browser may ask for a part of the page before the page.
    if (this.#builtAtMs === null) await this.page();
    return this.#files.get(path);
  }
}

const builtAt = async (folder: string): Promise<number | null> =>
  await stat(join(folder, MARK)).then(
    ({ mtimeMs }) => mtimeMs,
    () => null,
  );

async function filesOf(folder: string): Promise<FilesByPath> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length).replaceAll('\\', '/'))
    .slice(0, FILES_MAX);
  const known = new Set(paths);
  const read = keptReader(folder);
  const files = new Map<string, ConsoleFile>();
  for (const path of paths) {
    const type = typeOf(path);
    if (type === undefined) continue;
    const encodings = (['identity', 'br', 'gzip'] as const).filter((one) => known.has(path + SUFFIX_OF[one]));
    const body = (encoding: Encoding) => read(path + SUFFIX_OF[encoding]);
    let etag: string | undefined;
    const readEtag = async (): Promise<string> => {
      etag ??= etagOf(await body('identity'));
      return etag;
    };
    files.set(path, { type, encodings, body, etag: readEtag });
  }
  return files;
}

const typeOf = (path: string): string | undefined =>
  new Map<string, string>(Object.entries(CONSOLE_FILE_TYPES)).get(extname(path).slice(1));

const etagOf = (body: Buffer): string => `W/"${createHash('sha256').update(body).digest('base64url')}"`;

/** Reads each file at its first use and keeps it, up to a limit for all files together. */
function keptReader(folder: string): (path: string) => Promise<Buffer> {
  const kept = new Map<string, Buffer>();
  let keptBytes = 0;
  return async (path) => {
    const before = kept.get(path);
    if (before !== undefined) return before;
    const body = await readFile(join(folder, path));
    if (!kept.has(path) && keptBytes + body.length <= KEPT_BYTES_MAX) {
      kept.set(path, body);
      keptBytes += body.length;
    }
    return body;
  };
}
