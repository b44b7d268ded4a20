import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';

/** `npm test` names the built form, which starts in a quarter of the time. */
export const GRANARY =
  process.env['GRANARY_TEST_COMMAND'] ?? fileURLToPath(import.meta.resolve('@granary/cli/granary'));

/** Runs the command in a process of its own, with its own environment. */
export class GranaryProcess {
  readonly exited: Promise<number | null>;
  stdout = '';
  stderr = '';
  readonly #child;
  #moreOutput = Promise.withResolvers<void>();

  constructor(args: readonly string[], env: Readonly<Record<string, string>>, program: string) {
    this.#child = spawn(process.execPath, [program, ...args], {
      env: { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'], ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child.stdout.on('data', (chunk: Buffer) => {
      this.stdout += chunk;
      this.#moreOutput.resolve();
      this.#moreOutput = Promise.withResolvers();
    });
    this.#child.stderr.on('data', (chunk: Buffer) => {
      this.stderr += chunk;
    });
    this.exited = once(this.#child, 'close').then(([code]) => code);
  }

  /** Waits for the first match on standard output and returns what it captured. */
  async printed(pattern: RegExp): Promise<string> {
    for (;;) {
      const match = pattern.exec(this.stdout);
      if (match) return match[1] ?? match[0];
      const isOver = await Promise.race([
        this.#moreOutput.promise.then(() => false),
        this.exited.then(() => true),
      ]);
      if (isOver) throw new Error(`ended without printing ${pattern}: ${this.stdout}${this.stderr}`);
    }
  }

  /** The admin key of a service, from the file that its output names. */
  async adminKey(): Promise<string> {
    return (await readFile(await this.printed(/Admin key {2}kept in (.+)\n/), 'utf8')).trim();
  }

  /** Closes the output, as a reader such as `head` does that has read enough. */
  closeOutput(): void {
    this.#child.stdout.destroy();
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }
}

export function granary(
  t: TestContext,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  program = GRANARY,
) {
  const child = new GranaryProcess(args, env, program);
  t.after(async () => {
    child.signal('SIGKILL');
    await child.exited;
  });
  return child;
}

/** Settings with free ports and a data folder that is removed after the test. */
export async function serviceEnv(t: TestContext): Promise<Readonly<Record<string, string>>> {
  const folder = await mkdtemp(join(tmpdir(), 'granary-cli-'));
  // A service that ends after this may still write, so the removal of a folder that is not empty yet is repeated.
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 20 }));
  return { GRANARY_DATA_DIR: join(folder, 'data'), GRANARY_HTTP_PORT: '0', GRANARY_MQTT_PORT: '0' };
}
