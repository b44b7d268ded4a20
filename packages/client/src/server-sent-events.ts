/** One block of a stream; without data it only tells where to go on from, or that the other side is there. */
export interface SentEvent {
  readonly id: string | null;
  readonly name: string;
  readonly data: string | null;
  /** How long to wait before coming back, if the other side says so. */
  readonly retryMs: number | null;
}

/** Takes a `text/event-stream` apart. A block that the end cuts off counts for nothing. */
export async function* serverSentEvents(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<SentEvent, void, undefined> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of chunks) {
    text += decoder.decode(chunk, { stream: true });
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) yield eventOf(block);
  }
}

function eventOf(block: string): SentEvent {
  const data: string[] = [];
  let id: string | null = null;
  let name = 'message';
  let retryMs: number | null = null;
  for (const line of block.split('\n')) {
    const [, field, value = ''] = /^([^:]+):? ?(.*)$/.exec(line) ?? [];
    if (field === 'data') data.push(value);
    if (field === 'id') id = value;
    if (field === 'event') name = value;
    if (field === 'retry' && /^\d+$/.test(value)) retryMs = Number(value);
  }
  return { id, name, data: data.length === 0 ? null : data.join('\n'), retryMs };
}
