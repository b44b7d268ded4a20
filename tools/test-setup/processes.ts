import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { REPOSITORY_ROOT } from '../repository-files.ts';

/** More processes than processors, because tests also wait; with many more, a slow machine exceeds the limits of the service. */
export const CONCURRENT_PROCESSES = availableParallelism() + 2;

/** Files that change their process, or that mostly wait for other processes; in one process they would also wait for each other. */
const ALONE = [
  /^packages\/server\/src\/(whole-service|process\/nodes|devices\/sending)\//,
  /^packages\/server\/src\/process\/lower-priority/,
  /^packages\/cli\/src\/[^/]+$/,
  /^packages\/client\/src\/(examples|readme|real-service)\./,
  /\.browser\.test\.ts$/,
  /^lab\//,
  /^tools\/.+\//,
];
/** Tests of pure functions take milliseconds. */
const PURE = /^packages\/(common|console|contract|core)\//;
const PACKAGE = /^packages\/[^/]+|^[^/]+/;
const FILES_PER_PROCESS = 10;

/**
 * Node's test runner starts a process for each file that it is given. Loading the service takes a second, so most test files
 * share a process: each returned path is a file that runs some of `files` as suites, one after the other.
 */
export async function writeProcessFiles(files: readonly string[], folder: string): Promise<string[]> {
  const isAlone = (file: string): boolean => ALONE.some((pattern) => pattern.test(file));
  const alone = files.filter(isAlone).map((file) => [file]);
  const packages = Map.groupBy(
    files.filter((file) => !isAlone(file)),
    (file) => PACKAGE.exec(file)?.[0],
  );
  const shared = [...packages.values()].flatMap((all) =>
    all.every((file) => PURE.test(file)) ? [all] : inParts(all),
  );
  const written = mixed(alone, shared).map(async (group, index) => {
    // The runner sorts the files by their names.
    const path = join(folder, `${String(index).padStart(3, '0')}.test.mjs`);
    const suites = group.map((file) => {
      const address = pathToFileURL(join(REPOSITORY_ROOT, file)).href;
      return `describe(${JSON.stringify(file)}, () => import(${JSON.stringify(address)}));\n`;
    });
    await writeFile(path, ["import { describe } from 'node:test';\n", ...suites].join(''));
    return path;
  });
  return await Promise.all(written);
}

function inParts(files: readonly string[]): string[][] {
  const parts = Math.ceil(files.length / FILES_PER_PROCESS);
  const size = Math.ceil(files.length / parts);
  return Array.from({ length: parts }, (_, index) => files.slice(index * size, (index + 1) * size));
}

/** Mixes the lists, so that processes that wait run beside processes that compute, from the beginning to the end. */
function mixed<Item>(...lists: readonly (readonly Item[])[]): Item[] {
  const placed = lists.flatMap((list) =>
    list.map((item, index) => ({ item, place: (index + 0.5) / list.length })),
  );
  return placed.toSorted((one, other) => one.place - other.place).map(({ item }) => item);
}
