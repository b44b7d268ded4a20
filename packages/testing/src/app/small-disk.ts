import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ErrorCode } from '@granary/contract/errors';

const DISK_BYTES = 4 * 1024 * 1024;
const FILE_BYTES_MAX = 1024 * 1024;

/** A folder whose disk really becomes full. */
interface SmallDisk {
  readonly folder: string;
  readonly refusal: ErrorCode;
  fill(): void;
  freeSpace(): void;
  remove(): void;
}

/** Mounts a small disk if the system allows it; otherwise limits the size of files, which causes a similar error. */
export function makeSmallDisk(): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), 'granary-full-'));
  const mounted =
    spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES}`, 'tmpfs', folder]).status === 0;
  return mounted ? smallMount(folder) : limitedFiles(folder);
}

function smallMount(folder: string): SmallDisk {
  const filler = join(folder, 'filler');
  return {
    folder,
    refusal: 'storage_full',
    fill() {
      const { bavail, bsize } = statfsSync(folder);
      writeFileSync(filler, Buffer.alloc(bavail * bsize));
    },
    freeSpace: () => rmSync(filler),
    remove() {
      spawnSync('umount', [folder]);
      rmSync(folder, { recursive: true });
    },
  };
}

function limitedFiles(folder: string): SmallDisk {
  const limitFileSize = (bytes: number | 'unlimited') => {
    const { status } = spawnSync('prlimit', [`--pid=${process.pid}`, `--fsize=${bytes}:`]);
    assert.equal(status, 0, 'prlimit failed');
  };
  return {
    folder,
    refusal: 'storage_unavailable',
    fill: () => limitFileSize(FILE_BYTES_MAX),
    freeSpace: () => limitFileSize('unlimited'),
    remove: () => rmSync(folder, { recursive: true }),
  };
}
