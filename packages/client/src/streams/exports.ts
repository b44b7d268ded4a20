import type { GroupRoots } from '@granary/contract/endpoints/declaration/groups';
import type { EndpointOutline } from '@granary/contract/endpoints/declaration/outline';
import type { HistoryExportQuery, HistoryRow, RawReading, ReadingsQuery } from '@granary/contract/exports';
import { ENDPOINT_OUTLINES } from '@granary/contract/outline';
import { callOf } from '../derive.ts';
import type { CallOptions, Transport } from '../requests/transport.ts';

const MEDIA_TYPE = 'application/x-ndjson';

type RowOptions = Pick<CallOptions, 'signal'>;

/** An export is sent once: after a failure in the middle, begin again, or continue with `from` at the time of the last row. */
export interface ExportsClient {
  /** Yields every raw reading of the selection in the order of time; throws if the answer is cut off. */
  readings(query?: Omit<ReadingsQuery, 'format'>, options?: RowOptions): AsyncGenerator<RawReading, void>;
  /** Yields the points of every device and sensor, one series after the other. */
  history(query?: Omit<HistoryExportQuery, 'format'>, options?: RowOptions): AsyncGenerator<HistoryRow, void>;
}

export function exportsClient(transport: Transport, roots: GroupRoots): ExportsClient {
  async function* rows<Row>(
    endpoint: EndpointOutline,
    query: object,
    { signal }: RowOptions = {},
  ): AsyncGenerator<Row, void> {
    signal?.throwIfAborted();
    try {
      const chunks = await transport.stream(callOf(endpoint, roots, [query]), MEDIA_TYPE, signal);
      for await (const line of linesOf(chunks)) yield JSON.parse(line);
    } catch (failure) {
      signal?.throwIfAborted();
      throw failure;
    }
  }
  return {
    readings: (query, options) => rows<RawReading>(ENDPOINT_OUTLINES.exports.readings, query ?? {}, options),
    history: (query, options) => rows<HistoryRow>(ENDPOINT_OUTLINES.exports.history, query ?? {}, options),
  };
}

async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}
