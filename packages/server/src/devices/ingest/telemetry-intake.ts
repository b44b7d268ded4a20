import type { NewRejection } from '@granary/app/presence-rows';
import type { RefusalCause } from '@granary/contract/devices/reception';
import { Refusal } from '@granary/contract/errors';
import { pointerName } from '@granary/contract/input/validation-issues';
import { topicOf, UP_SUBJECTS } from '@granary/contract/link/messages';
import type { DeviceReading } from '@granary/contract/telemetry/telemetry';
import { DAY_MS } from '@granary/contract/time';
import { CLOCK_AHEAD_MS_MAX } from '@granary/core/jobs/polling';
import { isClockRight, readingRefusal } from '@granary/core/reception/reception';
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
import type {
  LinkDevice,
  LinkRejection,
  MessageOutcome,
  MessageReceipts,
  TakeLayout,
} from '@granary/link/port';
import { isStorageFault } from '@granary/store/errors';
import type { SensorsById } from '../declared-sensors.ts';
import type { DeviceLog } from '../device-log.ts';
import type { Arrival } from './batch.ts';
import type { IngestCounters } from './counters.ts';
import type { IngestPipeline } from './pipeline.ts';
import { type UsualParts, usualReadings } from './usual-readings.ts';

const NAME_CHARACTERS_MAX = 64;

interface IntakeParts {
  /** The declared sensors of a device; a look-up may wait for the storage. */
  readonly sensorsOf: (device: LinkDevice) => SensorsById | Promise<SensorsById>;
  /** The declared sensors of a device if they are cached. */
  readonly cachedSensors: (deviceId: string) => SensorsById | undefined;
  readonly pipeline: Pick<IngestPipeline, 'submitHeld' | 'submitPlain'>;
  readonly log: Pick<DeviceLog, 'warn' | 'error'>;
  readonly counters: IngestCounters;
  readonly now: () => number;
  readonly rawRetentionDays: number;
}

/** Readings older than the raw retention are rejected, because a repeated one could not be recognised. */
export const readingWindow = (nowMs: number, rawRetentionDays: number): ReadingWindow => ({
  oldestMs: nowMs - rawRetentionDays * DAY_MS,
  newestMs: nowMs + CLOCK_AHEAD_MS_MAX,
});

/** The rejection does not show details of a fault of the service; they are in the log. */
export const SERVICE_FAULT = 'the service could not process this message; its log says why';

const NONE: readonly never[] = [];
const asUsed = (): MessageOutcome => 'used';
const asRejected = (): MessageOutcome => 'rejected';
const done = (): void => undefined;

/** The message must be sent again: the storage is not available, or too many messages wait for it. */
export const isTemporary = (error: unknown): boolean =>
  isStorageFault(error) || (error instanceof Refusal && error.code === 'ingest_busy');

/** `null` if everything was taken and the clock of the device is right. */
export function receptionOf(
  rejection: Pick<LinkRejection, 'cause'> | null,
  readings: readonly Reading[],
  clockOffsetMs: number | null,
): Arrival['reception'] {
  const cause = rejection?.cause;
  if (cause === undefined && (clockOffsetMs === null || isClockRight(clockOffsetMs))) return null;
  const taken = readings.length === 0 ? 'none' : 'some';
  return { refusal: cause === undefined ? null : { taken, cause }, clockOffsetMs };
}

/** Takes in the telemetry of devices and their rejected messages. */
export class TelemetryIntake {
  readonly #parts: IntakeParts;

  constructor(parts: IntakeParts) {
    this.#parts = parts;
  }

  /** Most devices have no declared sensors, and their messages do not wait for a look-up. In an outage the others wait. */
  telemetry(device: LinkDevice, sent: readonly DeviceReading[]): Promise<MessageOutcome> {
    for (const { sensors } of sent) if (sensors !== undefined) return this.#declaredTelemetry(device, sent);
    try {
      return this.#storeReadings(device, device, sent);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  usualTelemetry(device: LinkDevice, receipts: MessageReceipts): TakeLayout {
    const unstorable: UsualParts['unstorable'] = (arrival, error) => this.#unstorable(device, arrival, error);
    const parts = { ...this.#parts, unstorable };
    return (fields, sent) => usualReadings({ device, receipts }, parts, fields, sent);
  }

  rejected(device: LinkDevice, rejection: LinkRejection): Promise<void> {
    const rejections = [this.#storable(device, rejection)];
    const found = receptionOf(rejection, [], null);
    return this.#submit(device, this.#arrival(device, { rejections }, found), done);
  }

  seen(device: LinkDevice): Promise<void> {
    return this.#submit(device, this.#arrival(device, {}), done);
  }

  async #declaredTelemetry(device: LinkDevice, sent: readonly DeviceReading[]): Promise<MessageOutcome> {
    const declared = await this.#parts.sensorsOf(device);
    return await this.#storeReadings(device, { ...device, declared }, sent);
  }

  /** This is not an async function, because each one costs every message further promises. */
  #storeReadings(
    device: LinkDevice,
    source: ReadingSource,
    sent: readonly DeviceReading[],
  ): Promise<MessageOutcome> {
    const nowMs = this.#parts.now();
    const window = readingWindow(nowMs, this.#parts.rawRetentionDays);
    const { readings, rejection, newestMs } = sortReadings(source, sent, window);
    const rejections = rejection === null ? NONE : [this.#storable(device, rejection)];
    const found = receptionOf(rejection, readings, newestMs === null ? null : newestMs - nowMs);
    const arrival = this.#arrival(device, { readings, rejections }, found);
    return this.#submit(device, arrival, rejection === null ? asUsed : asRejected);
  }

  #arrival(
    { deviceNo }: LinkDevice,
    { readings = NONE, rejections = NONE }: Partial<Pick<Arrival, 'readings' | 'rejections'>>,
    reception: Arrival['reception'] = null,
  ): Arrival {
    return { deviceNo, seenAtMs: this.#parts.now(), readings, rejections, reception };
  }

  /** Makes one promise for each message and not two, because all of them are kept until the commit. */
  #submit<Result>(device: LinkDevice, arrival: Arrival, result: () => Result): Promise<Result> {
    return this.#parts.pipeline
      .submitHeld(arrival)
      .then(result, (error: unknown) => this.#unstorable(device, arrival, error).then(result));
  }

  /** A message that cannot be stored because of a fault is rejected; if the rejection cannot be stored either, it is logged. */
  async #unstorable(device: LinkDevice, arrival: Arrival, error: unknown): Promise<void> {
    if (isTemporary(error)) throw error;
    this.#parts.log.error(device.deviceId, { err: error }, 'a message from a device cannot be stored');
    if (arrival.readings.length === 0) return;
    const payloadExcerpt = `${arrival.readings.length} readings`;
    await this.rejected(device, { topic: 'telemetry', reason: SERVICE_FAULT, payloadExcerpt });
  }

  #storable(device: LinkDevice, { topic, reason, payloadExcerpt }: LinkRejection): NewRejection {
    const { log, counters } = this.#parts;
    counters.rejectedMessages++;
    log.warn(device.deviceId, { topic, reason }, 'message from device rejected');
    return {
      deviceNo: device.deviceNo,
      receivedAtMs: this.#parts.now(),
      topic: wholeTopic(device, topic),
      reason,
      payload: payloadExcerpt,
    };
  }
}

/** A rejection of a decoded message names its subject; any other rejection names the topic on which the message came. */
function wholeTopic({ deviceId }: LinkDevice, topic: string): string {
  const subject = UP_SUBJECTS.find((one) => one === topic);
  return subject === undefined ? topic : topicOf(deviceId, subject);
}

interface SortedReadings {
  readonly readings: readonly Reading[];
  /** One reason for all rejected readings of the message. */
  readonly rejection: LinkRejection | null;
  /** The newest time in the message, also of a rejected reading; `null` if there is none. */
  readonly newestMs: number | null;
}

/** A reading with an undeclared sensor is a fault, but its other values are stored: a device may know sensors that the service does not. */
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
function sortReadings(
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
