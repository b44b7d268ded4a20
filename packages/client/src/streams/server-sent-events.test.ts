import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type SentEvent, serverSentEvents } from './reconnecting.ts';

async function* inChunks(bytes: Uint8Array, lengths: readonly number[]): AsyncGenerator<Uint8Array> {
  let start = 0;
  for (const length of [...lengths, bytes.length]) {
    yield bytes.subarray(start, start + length);
    start += length;
  }
}

const parse = (text: string, lengths: readonly number[] = []): Promise<SentEvent[]> =>
  Array.fromAsync(serverSentEvents(inChunks(new TextEncoder().encode(text), lengths)));

const block = (fields: Partial<SentEvent>): SentEvent => ({
  id: null,
  name: 'message',
  data: null,
  retryMs: null,
  ...fields,
});

const BLOCKS: readonly (readonly [string, string, SentEvent])[] = [
  ['an event', 'id: 5\nevent: a\ndata: {}\n\n', block({ id: '5', name: 'a', data: '{}' })],
  ['several lines of data', 'data: 1\ndata:2\ndata\n\n', block({ data: '1\n2\n' })],
  ['a heartbeat with a position', ': heartbeat\nid: 9\n\n', block({ id: '9' })],
  ['a pause', 'retry: 250\n\n', block({ retryMs: 250 })],
  ['a pause that is no number', 'retry: soon\n\n', block({})],
  ['an id with NUL', 'id: 1\0\ndata: x\n\n', block({ data: 'x' })],
  ['only the first space belongs to the format', 'data:  x: y\n\n', block({ data: ' x: y' })],
  [
    'line separators of Unicode are data',
    'data: a\u2028b\u2029c\u0085d\n\n',
    block({ data: 'a\u2028b\u2029c\u0085d' }),
  ],
  ['a byte order mark', '\uFEFFdata: x\n\n', block({ data: 'x' })],
  ['empty lines before a block', '\n\n\ndata: x\n\n', block({ data: 'x' })],
];

describe('a block of a stream', () => {
  for (const [name, text, expected] of BLOCKS) {
    for (const lineEnd of ['\n', '\r\n', '\r']) {
      it(`${name}, with ${JSON.stringify(lineEnd)}`, async () => {
        assert.deepEqual(await parse(text.replaceAll('\n', lineEnd)), [expected]);
      });
    }
  }

  it('that is incomplete at the end of the stream is ignored', async () => {
    assert.deepEqual(await parse('data: x\n\nid: 7\ndata: y\n'), [block({ data: 'x' })]);
  });

  it('is complete after its empty line, whatever follows the carriage return', async () => {
    const chunks = inChunks(new TextEncoder().encode('data: x\r\n\r\ndata: y\r\n\r\n'), [10]);
    const first = await serverSentEvents(chunks).next();
    assert.deepEqual(first.value, block({ data: 'x' }));
  });
});

it('the blocks of a stream do not depend on how it is split into chunks', async () => {
  const text = BLOCKS.slice(0, 8)
    .map(([, one], index) => one.replaceAll('\n', ['\n', '\r\n', '\r'][index % 3] ?? '\n'))
    .join('');
  const whole = await parse(text);
  assert.equal(whole.length, 8);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 60 }), async (lengths) => {
      assert.deepEqual(await parse(text, lengths), whole);
    }),
  );
});
