import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { Person, TerminalTraits } from '../program/environment.ts';

const BAR_COLUMNS_MAX = 30;
const BAR_COLUMNS_MIN = 4;
const COLUMNS_DEFAULT = 80;
const CLEAR = '\r\u001b[K';

/** A bar with words after it, cut to the width of the terminal; without room for it the bar is left out. */
export function progressBar(
  share: number,
  words: string,
  { columns, isUtf8 }: Pick<TerminalTraits, 'columns' | 'isUtf8'>,
): string {
  const width = (columns ?? COLUMNS_DEFAULT) - 1;
  const barWidth = Math.min(BAR_COLUMNS_MAX, width - words.length - 3);
  if (barWidth < BAR_COLUMNS_MIN) return words.slice(0, width);
  const [full, empty] = isUtf8 ? ['█', '░'] : ['#', '.'];
  const filled = Math.round(Math.min(1, Math.max(0, share)) * barWidth);
  return `[${full.repeat(filled)}${empty.repeat(barWidth - filled)}] ${words}`;
}

interface Output {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** One line on a terminal that is written again and again; nothing is printed if the output is not a terminal. */
export function progressLine(terminal: Output) {
  let isShown = false;
  return {
    show(text: string): void {
      if (terminal.isTTY !== true) return;
      terminal.write(`${CLEAR}${text}`);
      isShown = true;
    },
    /** Removes the line before something else is printed above it. */
    above(print: () => void): void {
      if (isShown) terminal.write(CLEAR);
      isShown = false;
      print();
    },
  };
}

interface Terminal {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
}

/** A person at the terminal; Ctrl+C and the end of the input count as no answer. */
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
