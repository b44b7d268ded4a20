import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { OutputChunk, Plugin } from 'rolldown';
import { SERVICE_SOURCES } from '../../packages/cli/bin/service-sources.mjs';
import { isBuiltFrom, sourcesDigest } from '../../packages/cli/bin/sources-digest.mjs';
import { catalogueSections } from '../catalogue-sections.ts';
import { REPOSITORY_ROOT, replaceFolder } from '../repository-files.ts';

const ADDRESS = /new URL\(\s*'(\.{1,2}\/[^'\n]+)',\s*import\.meta\.url,?\s*\)/g;
/** Libraries that are not part of the built files, because they are read as files. */
export const LIBRARIES_OUTSIDE: readonly string[] = ['swagger-ui-dist'];
export const SERVICE_FOLDER = join(REPOSITORY_ROOT, 'dist', 'service');
const COMMAND = join(REPOSITORY_ROOT, 'packages/cli/src/granary.ts');
const FOLDER_OF_LIBRARY = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;

/** The modules and folders that the sources load by their addresses instead of importing them. */
interface Addresses {
  /** Modules of threads and processes, which are built like the first one. */
  readonly modules: Set<string>;
  /** Folders whose files are read at run time. */
  readonly folders: Set<string>;
}

/** The service writes no text of the page. */
const WITHOUT_PAGE = catalogueSections(({ page: _, ...others }) => others);

/** Turns every address in the sources into one of the built folder, and records what the build has to provide there. */
function builtAddresses(addresses: Addresses, root: string): Plugin {
  const sources = join(root, 'packages/');
  return {
    name: 'built-addresses',
    transform(code, id) {
      if (!id.startsWith(sources) || !code.includes('import.meta')) return null;
      const built = code.replace(ADDRESS, (_, address: string) => {
        const target = resolve(dirname(id), address);
        return `new URL('${builtAddress(address, target, addresses, root)}', import.meta.url)`;
      });
      // Any other use of `import.meta` would be wrong in the built folder.
      if (built.replaceAll(', import.meta.url)', '').includes('import.meta')) {
        throw new Error(`${id} uses import.meta in a way that the build of the service does not know`);
      }
      return built;
    },
  };
}

function builtAddress(address: string, target: string, addresses: Addresses, root: string): string {
  const name = basename(target);
  if (target.endsWith('.ts')) {
    addNamed(addresses.modules, target);
    return `./${name.replace(/\.ts$/, '.js')}`;
  }
  if (target.startsWith(join(root, 'dist/'))) return relative(join(root, 'dist/service'), target);
  if (!address.endsWith('/')) throw new Error(`${target}: only folders are copied into the built service`);
  addNamed(addresses.folders, target);
  return `./${name}/`;
}

/** Adds a path under its file name: all built files are in one folder, so two files must not have the same name. */
function addNamed(paths: Set<string>, path: string): void {
  const other = [...paths].find((one) => one !== path && basename(one) === basename(path));
  if (other !== undefined)
    throw new Error(`${path} and ${other} have the same name, so they cannot both be built`);
  paths.add(path);
}

/** Builds the service unless it was built from the present sources. */
export async function ensureService(): Promise<void> {
  if (isBuiltFrom('dist/service', REPOSITORY_ROOT, SERVICE_SOURCES)) return;
  console.log('granary: building the service (once after a change of its sources, some seconds) ...');
  await buildService();
}

/** Builds the command and the service. */
export async function buildService(): Promise<void> {
  await buildEntry(COMMAND, SERVICE_SOURCES, SERVICE_FOLDER);
}

/**
 * Builds a program: one file, and parts that are loaded when they are needed, for the process and for each of its threads.
 * Each part contains only what it uses.
 */
export async function buildEntry(entry: string, sources: readonly string[], place: string): Promise<void> {
  // The digest is computed before the build, so that a change of the sources during the build causes another build.
  const digest = sourcesDigest(REPOSITORY_ROOT, sources);
  const folder = `${place}-${process.pid}`;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const addresses: Addresses = { modules: new Set([entry]), folders: new Set() };
  const chunks: OutputChunk[] = [];
  // Modules that are found during the build are added at the end of the set, so this loop builds them, too.
  for (const module of addresses.modules) chunks.push(...(await buildProgram(module, addresses, folder)));
  for (const files of addresses.folders) await cp(files, join(folder, basename(files)), { recursive: true });
  await writeFile(
    join(folder, 'LICENSES.txt'),
    await licencesOf(chunks.flatMap(({ moduleIds }) => moduleIds)),
  );
  // This file is written last, so that an interrupted build is repeated.
  await writeFile(join(folder, 'built-from'), `${digest}\n`);
  await replaceFolder(folder, place);
}

async function buildProgram(module: string, addresses: Addresses, folder: string): Promise<OutputChunk[]> {
  const name = basename(module, '.ts');
  // The bundler is loaded only for a build, because loading it takes longer than comparing the sources.
  const { rolldown } = await import('rolldown');
  const build = await rolldown({
    input: { [name]: module },
    platform: 'node',
    external: LIBRARIES_OUTSIDE.map((library) => new RegExp(`^${library}/`)),
    plugins: [builtAddresses(addresses, REPOSITORY_ROOT), WITHOUT_PAGE],
    // English is loaded with the service, and every language by its name.
    checks: { ineffectiveDynamicImport: false },
    logLevel: 'warn',
  });
  const { output } = await build.write({
    dir: folder,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: (part) => `${name}-${part.name.replaceAll(/[^a-z0-9-]/g, '')}.js`,
    // V8 keeps the whole text in memory, with two bytes for each character if one character needs two.
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

/** The licence texts of the libraries in the built files, because these licences require it. */
async function licencesOf(modules: readonly string[]): Promise<string> {
  const folders = new Set(modules.flatMap((module) => FOLDER_OF_LIBRARY.exec(module) ?? []));
  const texts = await Promise.all([...folders].sort().map(licenceOf));
  return texts.join(`\n\n${'-'.repeat(80)}\n\n`);
}

async function licenceOf(folder: string): Promise<string> {
  const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const files = (await readdir(folder)).filter((file) => /^licen[cs]e/i.test(file));
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  return [`${name} ${version} (${license})`, ...texts.map((text) => text.trim())].join('\n\n');
}
