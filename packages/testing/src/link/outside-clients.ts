import { type ChildProcessByStdio, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type { TestContext } from 'node:test';

/** The third-party programs that `npm test` could not install on this machine. */
const without = (process.env['GRANARY_TEST_WITHOUT'] ?? '').split(',');

const PACKAGES = {
  chromium: 'chromium',
  fish: 'fish',
  modbus:
    'python3-pymodbus python3-serial-asyncio python3-typer python3-aiohttp python3-prompt-toolkit mbpoll socat',
  mosquitto: 'mosquitto mosquitto-clients',
  nginx: 'nginx-light',
  paho: 'python3-paho-mqtt',
  postgresql: 'postgresql',
  promtool: 'prometheus',
  strace: 'strace',
  zsh: 'zsh',
};

/** Debian's Python finds Debian's paho package; another Python earlier on the PATH does not. */
const PYTHONS = ['/usr/bin/python3', 'python3'];

/** A Python interpreter that has paho, if there is one. */
export const pythonWithPaho = (): string | undefined => pythonWith('paho.mqtt.client');

/** A Python interpreter that has these modules, separated by commas, if there is one. */
export function pythonWith(modules: string): string | undefined {
  return PYTHONS.find((python) => {
    try {
      execFileSync(python, ['-c', `import ${modules}`], { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  });
}

/** Returns `false` and says so in the test report if the client is missing and may be missing. */
export function mayTestWith(t: TestContext, name: keyof typeof PACKAGES, isThere: boolean): boolean {
  if (isThere) return true;
  if (!without.includes(name)) throw new Error(`${name} is missing: install ${PACKAGES[name]}`);
  t.diagnostic(`NOT TESTED with ${name}: it is missing, and GRANARY_TEST_WITHOUT allows that`);
  return false;
}

export const hasMosquitto = (): boolean => hasProgram('mosquitto_sub');

export function hasProgram(name: string): boolean {
  try {
    execFileSync(name, ['--help'], { stdio: 'ignore' });
    return true;
  } catch (error) {
    // Any exit status shows that the program exists.
    return error instanceof Error && 'status' in error && error.status !== null;
  }
}

/** A client process, and the lines that it writes. */
export class OutsideClient {
  readonly lines: string[] = [];
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  #arrived = Promise.withResolvers<void>();

  constructor(t: TestContext, command: string, args: readonly string[]) {
    this.#child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    t.after(() => this.#child.kill('SIGKILL'));
    createInterface({ input: this.#child.stdout }).on('line', (line) => {
      this.lines.push(line);
      this.#arrived.resolve();
      this.#arrived = Promise.withResolvers();
    });
  }

  async until(condition: (lines: readonly string[]) => boolean): Promise<void> {
    while (!condition(this.lines)) await this.#arrived.promise;
  }

  async kill(): Promise<void> {
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
  }

  async exit(): Promise<number | null> {
    const [code] = await once(this.#child, 'exit');
    return code;
  }
}
