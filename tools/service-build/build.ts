import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { basename, join } from 'node:path';
import { type OutputChunk, rolldown } from 'rolldown';
import { SERVICE_SOURCES } from '../../packages/cli/bin/service-sources.mjs';
import { sourcesDigest } from '../../packages/cli/bin/sources-digest.mjs';
import { replaceFolder } from '../replace-folder.ts';
import { REPOSITORY_ROOT } from '../repository-files.ts';
import { type Addresses, builtAddresses } from './addresses.ts';
import { LIBRARIES_OUTSIDE } from './libraries-outside.ts';
import { licencesOf } from './licences.ts';
import { withoutImportsOfNode } from './node-modules.ts';

export const SERVICE_FOLDER = join(REPOSITORY_ROOT, 'dist', 'service');

const COMMAND = join(REPOSITORY_ROOT, 'packages/cli/src/granary.ts');

/** Builds the command and the service. */
export async function buildService(): Promise<void> {
  await buildEntry(COMMAND, SERVICE_SOURCES, SERVICE_FOLDER);
}

/**
 * Builds a program: one file, with parts that are loaded when they are needed, for the process and for each of its threads. Each
 * contains only what it uses.
 */
export async function buildEntry(entry: string, sources: readonly string[], place: string): Promise<void> {
  // Before the build, so that a change of the sources while it runs causes another one.
  const digest = sourcesDigest(REPOSITORY_ROOT, sources);
  const folder = `${place}-${process.pid}`;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const addresses: Addresses = { modules: new Set([entry]), folders: new Set() };
  const chunks: OutputChunk[] = [];
  // Modules that are found while others are built come last in the set, so this loop builds them, too.
  for (const module of addresses.modules) chunks.push(...(await buildProgram(module, addresses, folder)));
  for (const files of addresses.folders) await cp(files, join(folder, basename(files)), { recursive: true });
  await writeFile(
    join(folder, 'LICENSES.txt'),
    await licencesOf(chunks.flatMap(({ moduleIds }) => moduleIds)),
  );
  // Written last, so that a build that was interrupted is done again.
  await writeFile(join(folder, 'built-from'), `${digest}\n`);
  await replaceFolder(folder, place);
}

async function buildProgram(module: string, addresses: Addresses, folder: string): Promise<OutputChunk[]> {
  const name = basename(module, '.ts');
  const build = await rolldown({
    input: { [name]: module },
    platform: 'node',
    external: LIBRARIES_OUTSIDE.map((library) => new RegExp(`^${library}/`)),
    plugins: [builtAddresses(addresses, REPOSITORY_ROOT), withoutImportsOfNode()],
    logLevel: 'warn',
  });
  const { output } = await build.write({
    dir: folder,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: (part) => `${name}-${part.name.replaceAll(/[^a-z0-9-]/g, '')}.js`,
    // V8 keeps the whole text in memory, with two bytes for each character if one of them needs two.
    charset: 'ascii',
    // A comment with the source of each part stays, so that a stack trace can be read.
    comments: false,
  });
  await build.close();
  const chunks = output.filter((file) => file.type === 'chunk');
  refuseUnknownImports(chunks);
  return chunks;
}

function refuseUnknownImports(chunks: readonly OutputChunk[]): void {
  const built = new Set(chunks.map(({ fileName }) => fileName));
  const imported = chunks.flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports]);
  const isKnown = (one: string) =>
    built.has(one) || isBuiltin(one) || LIBRARIES_OUTSIDE.some((library) => one.startsWith(`${library}/`));
  const unknown = imported.filter((one) => !isKnown(one));
  if (unknown.length > 0) throw new Error(`the built service would have to find ${unknown.join(', ')}`);
}
