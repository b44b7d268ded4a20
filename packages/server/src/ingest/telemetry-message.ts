import { pointerName } from '@granary/contract/input/validation-issues';
import type { RefusalCause } from '@granary/contract/telemetry/reception';
import type { DeviceReading } from '@granary/contract/telemetry/telemetry';
import { readingRefusal } from '@granary/core/reception/reception';
import {
  acceptReading,
  isFault,
  type Reading,
  type ReadingSource,
  type ReadingWindow,
  timeOf,
  undeclaredIn,
} from '@granary/core/telemetry/readings';
import { printable } from '@granary/link/codec';
import { EXCERPT_CHARACTERS_MAX } from '@granary/link/limits';
import type { LinkRejection } from '@granary/link/port';

const NAME_CHARACTERS_MAX = 64;

export interface SortedReadings {
  readonly readings: readonly Reading[];
  /** One reason for all rejected readings of the message. */
  readonly rejection: LinkRejection | null;
  /** The newest time in the message, also of a rejected reading; `null` if there is none. */
  readonly newestMs: number | null;
}

/** The other values of such a reading are stored: a device may know sensors that the service does not. */
function undeclaredFault(source: ReadingSource, reading: DeviceReading): string | null {
  if (reading.sensors === undefined) return null;
  const [first, ...others] = undeclaredIn(source, reading);
  if (first === undefined) return null;
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  return `/sensors/${pointerName(first)}${more} is not declared; the other values are stored`;
}

const undeclaredCause = (source: ReadingSource, reading: DeviceReading): RefusalCause => ({
  code: 'undeclared_sensor',
  field: printable(undeclaredIn(source, reading)[0] ?? '', NAME_CHARACTERS_MAX),
});

/** Valid readings are stored even when others in the same message are rejected, because the whole message is acknowledged. */
export function sortReadings(
  source: ReadingSource,
  sent: readonly DeviceReading[],
  window: ReadingWindow,
): SortedReadings {
  let readings: Reading[] = [];
  let firstFault: { readonly reading: DeviceReading; readonly reason: string; cause: RefusalCause } | null =
    null;
  let newestMs: number | null = null;
  let faultCount = 0;
  let isPartlyStored = false;
  let index = -1;
  for (const reading of sent) {
    index++;
    const result = acceptReading(source, reading, window);
    const reason = isFault(result) ? `${result.path} ${result.message}` : undeclaredFault(source, reading);
    const tsMs = isFault(result) ? timeOf(reading) : result[0]?.tsMs;
    if (tsMs != null && (newestMs === null || tsMs > newestMs)) newestMs = tsMs;
    if (!isFault(result)) {
      if (readings.length === 0) readings = result;
      else for (const row of result) readings.push(row);
    }
    if (reason === null) continue;
    faultCount++;
    isPartlyStored ||= !isFault(result);
    firstFault ??= {
      reading,
      reason: sent.length === 1 ? reason : `/${index}${reason}`,
      cause: isFault(result) ? readingRefusal(reading, result, window) : undeclaredCause(source, reading),
    };
  }
  if (firstFault === null) return { readings, rejection: null, newestMs };
  const extent = isPartlyStored ? 'rejected in whole or in part' : 'rejected';
  const others = faultCount === 1 ? '' : `; ${faultCount} of ${sent.length} readings are ${extent}`;
  return {
    readings,
    newestMs,
    rejection: {
      topic: 'telemetry',
      reason: firstFault.reason + others,
      payloadExcerpt: printable(JSON.stringify(firstFault.reading), EXCERPT_CHARACTERS_MAX),
      cause: firstFault.cause,
    },
  };
}
