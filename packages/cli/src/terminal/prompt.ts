import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { Person } from '../frame/environment.ts';

interface Terminal {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
}

/** Asks at the terminal; Ctrl+C and the end of the input give no answer. */
export function personAt({ input, output }: Terminal): Person {
  async function question(text: string, isSecret: boolean, signal?: AbortSignal): Promise<string | null> {
    const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
    const lines = createInterface({ input, output: isSecret ? silent : output, terminal: true });
    const ended = new Promise<null>((resolve) => {
      lines.once('close', () => resolve(null));
      lines.once('SIGINT', () => resolve(null));
      signal?.addEventListener('abort', () => resolve(null), { once: true });
    });
    try {
      if (isSecret) output.write(text);
      return await Promise.race([lines.question(isSecret ? '' : text), ended]);
    } finally {
      lines.close();
      if (isSecret) output.write('\n');
    }
  }
  return { ask: (text, signal) => question(text, false, signal), askSecret: (text) => question(text, true) };
}
