import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import type { ReceivedMessage } from './receiver.ts';

/** An unreliable receiver that can be killed and started again at the same port. */
export class ReceiverProcess {
  readonly #file: string;
  #port = '0';
  #child: ChildProcess | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/hook`;
  }

  async start(): Promise<void> {
    const script = new URL('./unreliable-receiver.ts', import.meta.url);
    const child = fork(script, [this.#port, this.#file], { execArgv: [] });
    this.#child = child;
    const [{ port }] = (await once(child, 'message')) as [{ port: number }];
    this.#port = String(port);
  }

  async kill(): Promise<void> {
    if (this.#child === undefined) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
    this.#child = undefined;
  }

  /** The messages that it accepted; the last line may be incomplete after a kill. */
  accepted(): Pick<ReceivedMessage, 'headers' | 'text'>[] {
    if (!existsSync(this.#file)) return [];
    const lines = readFileSync(this.#file, 'utf8').split('\n');
    return lines.flatMap((line) => {
      try {
        return [JSON.parse(line)];
      } catch {
        return [];
      }
    });
  }
}
