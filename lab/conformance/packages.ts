import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { REPOSITORY_ROOT } from '../../tools/repository-files.ts';
import { exitCodeOf, start } from '../../tools/run.ts';

/** Programs that nobody here wrote. They are not dependencies, because only this tool uses them and they are many packages. */
const PACKAGES: Readonly<Record<string, string>> = {
  '@apiture/openapi-down-convert': '0.14.2',
  '@asyncapi/parser': '3.6.3',
  '@hey-api/openapi-ts': '0.99.0',
  '@openapitools/openapi-generator-cli': '1.0.18-5.0.0-beta2',
  '@redocly/cli': '2.73.0',
  '@stoplight/prism-cli': '5.16.0',
  'openapi-fetch': '0.17.0',
  'openapi-typescript': '7.13.0',
  typescript: '5.9.3',
};

export const CACHE = join(REPOSITORY_ROOT, 'node_modules', '.cache', 'conformance');

/** The command of a fetched package. */
export const command = (name: string): string => join(CACHE, 'node_modules', '.bin', name);

/** Fetches the packages, if the cache does not have them. */
export async function fetchPackages(): Promise<void> {
  const manifest = JSON.stringify({ private: true, type: 'module', dependencies: PACKAGES });
  const marker = join(CACHE, 'fetched.json');
  if ((await readFile(marker, 'utf8').catch(() => '')) === manifest) return;
  await mkdir(CACHE, { recursive: true });
  await writeFile(join(CACHE, 'package.json'), manifest);
  const args = ['install', '--prefix', CACHE, '--ignore-scripts', '--no-audit', '--no-fund'];
  if ((await exitCodeOf(start('npm', args))) !== 0) throw new Error('npm could not fetch the packages');
  await writeFile(marker, manifest);
}
