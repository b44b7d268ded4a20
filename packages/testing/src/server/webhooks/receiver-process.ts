import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';

export interface AcceptedMessage {
  /** The header `webhook-id`. */
  readonly id: string;
  readonly text: string;
  readonly isSigned: boolean;
}

/** An unreliable receiver that can be killed and started again at the same port. */
export class ReceiverProcess {
  readonly #file: string;
  #port = '0';
  #secret = '';
  #child: ChildProcess | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/hook`;
  }

  async start(): Promise<void> {
    const script = new URL('./unreliable-receiver.ts', import.meta.url);
    const child = fork(script, [this.#port, this.#file, this.#secret], { execArgv: [] });
    this.#child = child;
    const [{ port }] = (await once(child, 'message')) as [{ port: number }];
    this.#port = String(port);
  }

  /** Sets the secret with which signatures are checked from now on. */
  expectSecret(secret: string): void {
    this.#secret = secret;
    this.#child?.send(secret);
  }

  async kill(): Promise<void> {
    if (this.#child === undefined) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
    this.#child = undefined;
  }

  /** The messages that the receiver has accepted; the last line may be incomplete after a kill. */
  accepted(): AcceptedMessage[] {
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
