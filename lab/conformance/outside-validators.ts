import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '@granary/testing/free-port';
import { exitCodeOf, start } from '../../tools/child-command.ts';
import { REPOSITORY_ROOT } from '../../tools/repository-files.ts';

/** Foreign programs. They are no dependencies, because only this tool uses them and they consist of many packages. */
const PACKAGES: Readonly<Record<string, string>> = {
  '@asyncapi/parser': '3.6.3',
  '@redocly/cli': '2.73.0',
  '@stoplight/prism-cli': '5.16.0',
  'node-red': '5.0.7',
};
export const CACHE = join(REPOSITORY_ROOT, 'node_modules', '.cache', 'conformance');
export const DOCUMENT = join(REPOSITORY_ROOT, 'docs', 'openapi.json');
const START_MS_MAX = 60_000;

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

/** Runs a command and returns its faults. */
export async function run(
  name: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<string[]> {
  const exitCode = await exitCodeOf(start(name, args, env));
  return exitCode === 0 ? [] : [`${name} ended with ${exitCode}`];
}

/** Prism between a caller and the service: it compares each request and each answer with the document. */
export class Prism {
  readonly url: string;
  readonly #child: ChildProcess;
  #output = '';

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.url = url;
    child.stdout?.on('data', (chunk) => {
      this.#output += chunk;
    });
    child.stderr?.on('data', (chunk) => {
      this.#output += chunk;
    });
  }

  static async start(document: string, upstream: string): Promise<Prism> {
    const port = await freePort();
    // A build of the console leaves NODE_ENV=production behind, with which Prism would fork and fail.
    const place = ['--host', '127.0.0.1', '--port', String(port), '--multiprocess', 'false'];
    const child = spawn(process.execPath, [command('prism'), 'proxy', document, upstream, ...place]);
    const prism = new Prism(child, `http://127.0.0.1:${port}`);
    const untilMs = Date.now() + START_MS_MAX;
    while (!prism.#output.includes('Prism is listening')) {
      if (child.exitCode !== null || Date.now() > untilMs) {
        await prism.stop();
        throw new Error(`Prism did not start: ${prism.#output}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    return prism;
  }

  /** The faults that Prism has found so far in requests and in answers. */
  get violations(): string[] {
    return this.#output.split('\n').filter((line) => line.includes('Violation:'));
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill();
    await ended;
  }
}
