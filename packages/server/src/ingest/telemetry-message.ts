import type { DeviceReading } from '@granary/contract/telemetry/telemetry';
import {
  acceptReading,
  isFault,
  type Reading,
  type ReadingSource,
  type ReadingWindow,
} from '@granary/core/telemetry/readings';
import { printable } from '@granary/link/codec';
import { EXCERPT_CHARACTERS_MAX } from '@granary/link/limits';
import type { LinkRejection } from '@granary/link/port';

export interface SortedReadings {
  readonly readings: readonly Reading[];
  /** One reason for all rejected readings of the message. */
  readonly rejection: LinkRejection | null;
}

/** Valid readings are stored even when others in the same message are rejected, because the whole message is acknowledged. */
export function sortReadings(
  source: ReadingSource,
  sent: readonly DeviceReading[],
  window: ReadingWindow,
): SortedReadings {
  const readings: Reading[] = [];
  let firstFault: { readonly reading: DeviceReading; readonly reason: string } | null = null;
  for (const [index, reading] of sent.entries()) {
    const result = acceptReading(source, reading, window);
    if (!isFault(result)) {
      readings.push(result);
      continue;
    }
    const path = sent.length === 1 ? result.path : `/${index}${result.path}`;
    firstFault ??= { reading, reason: `${path} ${result.message}` };
  }
  if (firstFault === null) return { readings, rejection: null };
  const faultCount = sent.length - readings.length;
  const others = faultCount === 1 ? '' : `; ${faultCount} of ${sent.length} readings are rejected`;
  return {
    readings,
    rejection: {
      topic: 'telemetry',
      reason: firstFault.reason + others,
      payloadExcerpt: printable(JSON.stringify(firstFault.reading), EXCERPT_CHARACTERS_MAX),
    },
  };
}
