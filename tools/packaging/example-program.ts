/** A program of a user, which is compiled with strict options and run; the type errors that it expects are marked. */
export const CONSUMER = `import { ApiError, createClient, type LoggedEvent, UnreachableError } from '@granary/client';

const client = createClient({ baseUrl: process.env['GRANARY_URL'] ?? '', apiKey: 'k', timeLimitMs: 0 });

export async function levels(signal: AbortSignal): Promise<number[]> {
  const levels: number[] = [];
  for await (const device of client.devices.silo.listAll({ limit: 10 }, { signal })) {
    const { level } = await client.telemetry.current(device.device_id, { signal });
    if (level?.current != null) levels.push(level.current);
  }
  return levels;
}

export const isRunning = (event: LoggedEvent): boolean =>
  event.type === 'operation.status_changed' && event.data.status === 'in_progress';

// @ts-expect-error the amount is missing
export const incomplete = () => client.operations.feed('silo-1', {});

try {
  await client.devices.silo.get('silo-1');
} catch (error) {
  if (error instanceof UnreachableError) throw error;
  if (error instanceof ApiError && error.code === 'unauthorized') console.log('refused:', error.code);
}
`;

/** What the sources of the client offer is what the types of the package promise. */
export const SAME_TYPES = `import type * as Source from '@granary/client';
import type * as Published from '../client/lib/index.d.ts';

export const client = (one: Source.Client): Published.Client => one;
export const event = (one: Source.LoggedEvent): Published.LoggedEvent => one;
export const item = (one: Source.StreamItem): Published.StreamItem => one;
export const refusal = (one: Source.ApiError): Published.ApiError => one;
export const failure = (one: Source.UnreachableError): Published.UnreachableError => one;
export const options = (one: Published.ClientOptions): Source.ClientOptions => one;
export const callOptions = (one: Published.CallOptions): Source.CallOptions => one;
export const filter = (one: Published.EventFilter): Source.EventFilter => one;
`;
