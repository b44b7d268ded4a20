import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Sparse, so that only what is used takes room on the disk below. */
const SIZE = '3G';
const FILLING = 'filling';

/** A small file system of its own, which can be filled without harm for the rest of the machine. Only root can mount it. */
export class Volume {
  readonly path: string;
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
    this.path = join(folder, 'mounted');
  }

  static async create(): Promise<Volume> {
    const volume = new Volume(await mkdtemp(join(tmpdir(), 'granary-volume-')));
    try {
      const image = join(volume.#folder, 'image');
      await chmod(volume.#folder, 0o755);
      await mkdir(volume.path);
      await run('truncate', ['-s', SIZE, image]);
      // No blocks are reserved for root, so that full means full.
      await run('mkfs.ext4', ['-q', '-m', '0', image]);
      await run('mount', ['-o', 'loop', image, volume.path]);
      await chmod(volume.path, 0o755);
      return volume;
    } catch (error) {
      await rm(volume.#folder, { recursive: true, force: true });
      throw error;
    }
  }

  async fill(): Promise<void> {
    const { bavail, bsize } = await statfs(this.path);
    await run('fallocate', ['-l', String(bavail * bsize), join(this.path, FILLING)]).catch(() => undefined);
    // What fallocate could not get as a whole is taken in small pieces, until nothing is left.
    await run('dd', ['if=/dev/zero', `of=${join(this.path, `${FILLING}-rest`)}`, 'bs=4096']).catch(
      () => undefined,
    );
  }

  async freeAgain(): Promise<void> {
    for (const name of [FILLING, `${FILLING}-rest`]) await rm(join(this.path, name), { force: true });
  }

  async remove(): Promise<void> {
    await run('umount', [this.path]);
    await rm(this.#folder, { recursive: true, force: true });
  }
}
