import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { REPOSITORY_ROOT } from '../repository-files.ts';

/** More than the number of processors, because many tests mostly wait. */
export const CONCURRENT_PROCESSES = availableParallelism() + 2;

/** Files that change the process they run in, or that mostly wait for other processes: these should not wait for each other, too. */
const ALONE = [
  /^packages\/server\/src\/(whole-service|process\/nodes|devices\/urgent)\//,
  /^packages\/server\/src\/process\/lower-priority/,
  /^packages\/cli\/src\/[^/]+$/,
  /^packages\/client\/src\/(examples|readme|real-service)\./,
  /\.browser\.test\.ts$/,
  /^lab\//,
  /^tools\/.+\//,
];
/** Tests of pure functions take milliseconds. */
const PURE = /^packages\/(common|console|contract|core)\//;
const FILES_PER_PROCESS = 10;

/**
 * Node's test runner starts a process for each file that it is given. Loading the service takes a second, so most files share a
 * process: the returned paths are of files that each contain some of `files`, as suites that run one after the other.
 */
export async function writeProcessFiles(files: readonly string[], folder: string): Promise<string[]> {
  const isAlone = (file: string): boolean => ALONE.some((pattern) => pattern.test(file));
  const packages = Map.groupBy(
    files.filter((file) => !isAlone(file)),
    (file) => /^packages\/[^/]+|^[^/]+/.exec(file)?.[0],
  );
  const shared = [...packages.values()].flatMap((all) => {
    const processes = all.every((file) => PURE.test(file)) ? 1 : Math.ceil(all.length / FILES_PER_PROCESS);
    const size = Math.ceil(all.length / processes);
    return Array.from({ length: processes }, (_, index) => all.slice(index * size, (index + 1) * size));
  });
  const written = shared.map(async (group, index) => {
    const path = join(folder, `${index}.test.mjs`);
    const suites = group.map((file) => {
      const address = pathToFileURL(join(REPOSITORY_ROOT, file)).href;
      return `describe(${JSON.stringify(file)}, () => import(${JSON.stringify(address)}));\n`;
    });
    await writeFile(path, ["import { describe } from 'node:test';\n", ...suites].join(''));
    return path;
  });
  // The long ones start first.
  return [...files.filter(isAlone), ...(await Promise.all(written))];
}
