/** One block of a stream. A block without data gives the position to resume from, or shows that the service is alive. */
export interface SentEvent {
  readonly id: string | null;
  readonly name: string;
  readonly data: string | null;
  /** How long to wait before connecting again, if the service says so. */
  readonly retryMs: number | null;
}

const LINE_END = /\r\n|\r|\n/;

/** Parses a `text/event-stream`. A block that the end of the stream cuts off is ignored. */
export async function* serverSentEvents(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<SentEvent, void, undefined> {
  const splitter = new LineSplitter();
  let block: string[] = [];
  for await (const chunk of chunks) {
    for (const line of splitter.push(chunk)) {
      if (line !== '') {
        block.push(line);
        continue;
      }
      if (block.length > 0) yield eventOf(block);
      block = [];
    }
  }
}

/** Returns each line once it is complete, and looks at each character once however the stream is cut into chunks. */
class LineSplitter {
  readonly #decoder = new TextDecoder();
  #unfinished: string[] = [];
  #endedWithCarriageReturn = false;

  push(chunk: Uint8Array): string[] {
    const text = this.#decoder.decode(chunk, { stream: true });
    if (text === '') return [];
    // The line before has ended already, so a line feed that completes CR LF begins no further one.
    const start = this.#endedWithCarriageReturn && text.startsWith('\n') ? 1 : 0;
    this.#endedWithCarriageReturn = text.endsWith('\r');
    const [first = '', ...others] = text.slice(start).split(LINE_END);
    this.#unfinished.push(first);
    const last = others.pop();
    if (last === undefined) return [];
    const lines = [this.#unfinished.join(''), ...others];
    this.#unfinished = [last];
    return lines;
  }
}

function eventOf(lines: readonly string[]): SentEvent {
  const data: string[] = [];
  let id: string | null = null;
  let name = 'message';
  let retryMs: number | null = null;
  for (const line of lines) {
    const { field, value } = fieldOf(line);
    if (field === 'data') data.push(value);
    if (field === 'id' && !value.includes('\0')) id = value;
    if (field === 'event') name = value;
    if (field === 'retry' && /^\d+$/.test(value)) retryMs = Number(value);
  }
  return { id, name, data: data.length === 0 ? null : data.join('\n'), retryMs };
}

/** A comment begins with the colon, so its field has no name. */
function fieldOf(line: string): { readonly field: string; readonly value: string } {
  const colon = line.indexOf(':');
  if (colon === -1) return { field: line, value: '' };
  const start = line[colon + 1] === ' ' ? colon + 2 : colon + 1;
  return { field: line.slice(0, colon), value: line.slice(start) };
}
