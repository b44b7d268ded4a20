import { copyFile, cp, glob, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ensureConsole } from '../console-build/ensure.ts';
import { REPOSITORY_ROOT } from '../repository-files.ts';
import { exitCodeOf, start } from '../run.ts';
import { publishedManifest, type SourceManifest } from './manifest.ts';
import type { PublishedPackage } from './published-packages.ts';
import { importedLibraries, withCompiledSpecifiers } from './specifiers.ts';

const TESTS = ['**/*.test.ts', '**/testing/**'];
const PACKAGES = join(REPOSITORY_ROOT, 'packages');

const readJson = async (path: string) => JSON.parse(await readFile(join(REPOSITORY_ROOT, path), 'utf8'));
const toJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** Builds a package into a folder from which `npm pack` makes what users install. */
export async function buildPackage(published: PublishedPackage, folder: string): Promise<void> {
  const lib = join(folder, 'lib');
  await rm(folder, { recursive: true, force: true });
  await mkdir(lib, { recursive: true });
  await compile(published, folder, lib);
  if (published.folders.length > 0) await ensureConsole();
  const libraries = await rewriteSpecifiers(lib);
  await copyFiles(published, folder, lib);

  const source: SourceManifest = await readJson(`packages/${published.name}/package.json`);
  const { optionalDependencies } = await readJson('package.json');
  const lock = await readJson('package-lock.json');
  const manifest = publishedManifest(published, source, libraries, optionalDependencies, lock);
  await writeFile(join(folder, 'package.json'), toJson(manifest));
  if (published.bringsNode) await writeVersions(lib);
}

/** Packages of the service read their version from the manifest beside their sources. */
async function writeVersions(lib: string): Promise<void> {
  for await (const name of glob('*', { cwd: lib })) {
    const { version }: SourceManifest = await readJson(`packages/${name}/package.json`);
    await writeFile(join(lib, name, 'package.json'), toJson({ version, type: 'module' }));
  }
}

async function compile(
  { sources, emitsTypes, lib, types }: PublishedPackage,
  folder: string,
  outDir: string,
) {
  const project = join(folder, 'tsconfig.json');
  const compilerOptions = {
    ...{ noEmit: false, rewriteRelativeImportExtensions: true, rootDir: PACKAGES, outDir },
    // Everything is written, also what has not changed since the last type check.
    ...{ incremental: false, tsBuildInfoFile: null },
    ...{ target: 'es2022', lib, types, declaration: emitsTypes },
    paths: await sourcePaths(),
    // The check of the repository has checked it; only for users of types is the library an older one.
    noCheck: !emitsTypes,
  };
  const include = sources.map((pattern) => join(PACKAGES, pattern));
  const exclude = TESTS.map((pattern) => join(PACKAGES, pattern));
  const root = join(REPOSITORY_ROOT, 'tsconfig.json');
  await writeFile(project, toJson({ extends: root, compilerOptions, include, exclude }));
  const exitCode = await exitCodeOf(start('tsc', ['-p', project]));
  await rm(project);
  if (exitCode !== 0) throw new Error('the compiler found the above');
}

/** The compiler emits nothing for a module that it finds in node_modules, so it finds those of the workspace elsewhere. */
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
  for await (const path of glob('**/*.{js,d.ts}', { cwd: lib })) {
    const file = join(lib, path);
    const text = withCompiledSpecifiers(path, await readFile(file, 'utf8'));
    libraries.push(...importedLibraries(text));
    await writeFile(file, text);
  }
  return libraries;
}

/** Copies what the code reads at run time, and what every package shows. */
async function copyFiles({ name, files, folders }: PublishedPackage, folder: string, lib: string) {
  const copies = new Map(Object.entries({ ...files, LICENSE: 'LICENSE' }));
  copies.set(await readmeOf(name), 'README.md');
  for await (const used of glob('*', { cwd: lib })) {
    for await (const asset of glob(`${used}/src/**/*.*`, { cwd: PACKAGES, exclude: TESTS })) {
      if (!asset.endsWith('.ts') && !asset.includes('/testing/'))
        copies.set(`packages/${asset}`, `lib/${asset}`);
    }
  }
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
