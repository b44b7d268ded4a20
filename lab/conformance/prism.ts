import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from '../../tools/free-port.ts';
import { command } from './packages.ts';

const START_MS_MAX = 60_000;

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
    const place = ['--host', '127.0.0.1', '--port', String(port)];
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

  /** What it found up to now in requests and in answers. */
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
