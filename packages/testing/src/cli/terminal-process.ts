import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { TestContext } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { GRANARY } from './granary-process.ts';

export const CTRL_C = '\u0003';
export const ENTER = '\r';

interface TerminalOptions {
  readonly columns?: number;
  readonly env?: Readonly<Record<string, string>>;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Runs the command on a pseudo terminal, which `script` of util-linux provides. */
export class TerminalProcess {
  readonly exited: Promise<number | null>;
  /** Everything that was shown, with the control characters of the terminal. */
  raw = '';
  readonly #child;
  #moreOutput = Promise.withResolvers<void>();

  constructor(args: readonly string[], { columns = 100, env = {} }: TerminalOptions) {
    const command = [process.execPath, GRANARY, ...args].map(quoted).join(' ');
    this.#child = spawn('script', ['-qec', `stty cols ${columns} rows 40; exec ${command}`, '/dev/null'], {
      env: {
        PATH: process.env['PATH'] ?? '',
        TERM: 'xterm',
        LANG: 'C.UTF-8',
        SHELL: '/bin/sh',
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
        ...env,
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#child.stdout.on('data', (chunk: Buffer) => {
      this.raw += chunk;
      this.#moreOutput.resolve();
      this.#moreOutput = Promise.withResolvers();
    });
    this.exited = once(this.#child, 'close').then(([code]) => code);
  }

  get text(): string {
    return stripVTControlCharacters(this.raw).replaceAll('\r\n', '\n');
  }

  async shown(pattern: RegExp): Promise<string> {
    for (;;) {
      const match = pattern.exec(this.text);
      if (match) return match[1] ?? match[0];
      const more = this.#moreOutput.promise.then(() => false);
      if (await Promise.race([more, this.exited.then(() => true)])) {
        throw new Error(`ended without showing ${pattern}: ${this.text}`);
      }
    }
  }

  type(text: string): void {
    this.#child.stdin.write(text);
  }

  end(): void {
    this.#child.kill('SIGKILL');
  }
}

export function onTerminal(
  t: TestContext,
  args: readonly string[],
  options: TerminalOptions = {},
): TerminalProcess {
  const child = new TerminalProcess(args, options);
  t.after(() => child.end());
  return child;
}
