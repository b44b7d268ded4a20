import type { Endpoint } from '@granary/contract/endpoints/declaration/endpoint';
import type { GroupRoots } from '@granary/contract/endpoints/declaration/groups';
import { endpoints } from '@granary/contract/endpoints/endpoints';
import type { HistoryExportQuery, HistoryRow, RawReading, ReadingsQuery } from '@granary/contract/exports';
import { callOf } from './derive.ts';
import type { Transport } from './transport.ts';

const ACCEPT = { accept: 'application/x-ndjson' };

export interface ExportsClient {
  /** Yields every raw reading of the selection in the order of time; throws if the answer is cut off. */
  readings(query?: Omit<ReadingsQuery, 'format'>, signal?: AbortSignal): AsyncGenerator<RawReading, void>;
  /** Yields the points of every device and sensor, one series after the other. */
  history(query?: Omit<HistoryExportQuery, 'format'>, signal?: AbortSignal): AsyncGenerator<HistoryRow, void>;
}

export function exportsClient(transport: Transport, roots: GroupRoots): ExportsClient {
  async function* rows<Row>(
    endpoint: Endpoint,
    query: object,
    signal?: AbortSignal,
  ): AsyncGenerator<Row, void> {
    const call = callOf(endpoint, roots, [query]);
    const never = new AbortController().signal;
    const chunks = await transport.stream({ ...call, headers: ACCEPT }, signal ?? never);
    for await (const line of linesOf(chunks)) yield JSON.parse(line);
  }
  return {
    readings: (query, signal) => rows<RawReading>(endpoints.exports.readings, query ?? {}, signal),
    history: (query, signal) => rows<HistoryRow>(endpoints.exports.history, query ?? {}, signal),
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
