import { copyFile, cp, glob, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, posix, relative } from 'node:path';
import { exitCodeOf, start } from '../child-command.ts';
import { ensureConsole } from '../console-build/build.ts';
import { REPOSITORY_ROOT } from '../repository-files.ts';
import { ensureService } from '../service-build/build.ts';
import { clientTypes } from './client-types.ts';
import { packInto } from './install.ts';
import {
  nodeRuntime,
  PUBLISHED_PACKAGES,
  type PublishedPackage,
  publishedManifest,
  type SourceManifest,
} from './published-packages.ts';

const WORKSPACE_PACKAGE = /^@granary\/([^/]+)(?:\/(.+))?$/;
const OWN_EXTENSION = /(?<!\.d)\.ts$/;
const PACKAGES = join(REPOSITORY_ROOT, 'packages');
/** The standard library of the oldest supported platform, so that the compiler refuses newer names. */
const LIBRARY_OF_PLATFORM = ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable', 'es2024.string'];

/** The compiler begins each import and export on a new line, and may put its names on several lines. */
const STATIC_OR_DYNAMIC_IMPORT =
  /(^(?:import|export|\})[^'"\n]*?\bfrom\s+|^import\s+|\bimport\(\s*)(['"])([^'"\n]+)\2/gm;

/** Makes every import of a compiled file point to compiled files; `path` is relative to the folder of all packages. */
export function withCompiledSpecifiers(path: string, text: string): string {
  return text.replace(STATIC_OR_DYNAMIC_IMPORT, (_, before: string, quote: string, specifier: string) => {
    return `${before}${quote}${compiledSpecifier(path, specifier)}${quote}`;
  });
}

function compiledSpecifier(path: string, specifier: string): string {
  if (specifier.startsWith('.')) return specifier.replace(OWN_EXTENSION, '.js');
  const workspace = WORKSPACE_PACKAGE.exec(specifier);
  if (workspace === null) return specifier;
  const [, name = '', module = 'index'] = workspace;
  const relative = posix.relative(posix.dirname(path), `${name}/src/${module}.js`);
  return relative.startsWith('.') ? relative : `./${relative}`;
}

/** The packages outside the workspace that a compiled file imports, without modules of Node. */
export function importedLibraries(text: string): string[] {
  const specifiers = Array.from(
    text.matchAll(STATIC_OR_DYNAMIC_IMPORT),
    ([, , , specifier = '']) => specifier,
  );
  const bare = specifiers.filter((one) => !one.startsWith('.') && !one.startsWith('node:'));
  return bare.map((one) => /^(@[^/]+\/)?[^/]+/.exec(one)?.[0] ?? one);
}

const readJson = async (path: string) => JSON.parse(await readFile(join(REPOSITORY_ROOT, path), 'utf8'));
const toJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** Builds a package into a folder from which `npm pack` makes what users install. */
export async function buildPackage(published: PublishedPackage, folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const { source, folders } = published;
  const compiled = source === null ? [] : await compile(source, folder);
  if (source !== null) await writeFile(join(folder, 'lib/index.d.ts'), await clientTypes());
  if (folders.length > 0) await Promise.all([ensureConsole(), ensureService()]);
  await copyFiles(published, folder);

  const own: SourceManifest = await readJson(`packages/${published.name}/package.json`);
  const lock = await readJson('package-lock.json');
  const libraries = [...compiled, ...published.libraries];
  const manifest = publishedManifest(published, own, libraries, lock);
  await writeFile(join(folder, 'package.json'), toJson(manifest));
  if (!published.fetchesNode) return;
  const { optionalDependencies } = await readJson('package.json');
  const runtime = nodeRuntime(optionalDependencies, lock);
  await mkdir(join(folder, 'runtime'));
  await writeFile(join(folder, 'runtime/manifest.json'), toJson(runtime.manifest));
  await writeFile(join(folder, 'runtime/lock.json'), toJson(runtime.lock));
}

/** Compiles a module and the modules that it imports. Returns the libraries that they import. */
async function compile(source: string, folder: string): Promise<string[]> {
  const project = join(folder, 'tsconfig.json');
  const outDir = join(folder, 'lib');
  const compilerOptions = {
    noEmit: false,
    rewriteRelativeImportExtensions: true,
    rootDir: PACKAGES,
    outDir,
    // Every file is written, even if it has not changed since the last type check.
    incremental: false,
    tsBuildInfoFile: null,
    target: 'es2022',
    lib: LIBRARY_OF_PLATFORM,
    types: [],
    declaration: false,
    paths: await sourcePaths(),
  };
  const include = [join(PACKAGES, source)];
  const root = join(REPOSITORY_ROOT, 'tsconfig.json');
  await writeFile(project, toJson({ extends: root, compilerOptions, include, exclude: [] }));
  const exitCode = await exitCodeOf(start('tsc', ['-p', project]));
  await rm(project);
  if (exitCode !== 0) throw new Error('the compiler found the above');
  return await rewriteSpecifiers(outDir);
}

/** The compiler emits nothing for a module in node_modules, so these paths lead it to the packages of the workspace. */
async function sourcePaths(): Promise<Record<string, string[]>> {
  const paths: Record<string, string[]> = {};
  for await (const name of glob('*', { cwd: PACKAGES })) {
    paths[`@granary/${name}`] = [join(PACKAGES, name, 'src/index.ts')];
    paths[`@granary/${name}/*`] = [join(PACKAGES, name, 'src/*.ts')];
  }
  return paths;
}

/** Returns the libraries that the compiled files import. */
async function rewriteSpecifiers(lib: string): Promise<string[]> {
  const libraries: string[] = [];
  for await (const path of glob('**/*.js', { cwd: lib })) {
    const file = join(lib, path);
    const text = withCompiledSpecifiers(path, await readFile(file, 'utf8'));
    libraries.push(...importedLibraries(text));
    await writeFile(file, text);
  }
  return libraries;
}

/** Copies the built files and the files that every package has. */
async function copyFiles({ name, files, folders }: PublishedPackage, folder: string) {
  const copies = new Map(Object.entries({ ...files, LICENSE: 'LICENSE' }));
  copies.set(await readmeOf(name), 'README.md');
  for (const [from, to] of copies) {
    await mkdir(dirname(join(folder, to)), { recursive: true });
    await copyFile(join(REPOSITORY_ROOT, from), join(folder, to));
  }
  for (const one of folders) await cp(join(REPOSITORY_ROOT, one), join(folder, one), { recursive: true });
}

async function readmeOf(name: string): Promise<string> {
  for await (const own of glob(`packages/${name}/README.md`, { cwd: REPOSITORY_ROOT })) return own;
  return 'README.md';
}

if (import.meta.main) {
  for (const published of PUBLISHED_PACKAGES) {
    const folder = join(REPOSITORY_ROOT, 'dist', published.name);
    await buildPackage(published, folder);
    const { tarball } = await packInto(folder, join(REPOSITORY_ROOT, 'dist'));
    console.log(`built ${folder}, and packed ${relative(REPOSITORY_ROOT, tarball)}, which users install`);
  }
}
