import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const INSTALL = ['install', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'];

/** Packs a built package in the form in which it is published, and returns the files that it contains. */
export async function packInto(folder: string, destination: string) {
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', destination], { cwd: folder });
  const [{ filename, files }] = JSON.parse(stdout);
  return {
    tarball: join(destination, filename),
    paths: files.map(({ path }: { readonly path: string }) => path) as string[],
  };
}

/** Installs a packed package into a folder, which is created if it is missing. */
export async function install(tarball: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await run('npm', [...INSTALL, tarball], { cwd: folder });
}

/** The path of the command in the folder in which its package is installed. */
export const installedCommand = (folder: string): string =>
  join(folder, 'node_modules/@granary/cli/bin/granary.mjs');
