import { monotonicMs } from '@granary/common/monotonic-ms';
import { DAY_MS, HOUR_MS, SECOND_MS } from '@granary/contract/time';
import { durationMs } from '../mapping/duration.ts';
import { type Pointer, pointed, pointedText } from '../mapping/json-pointer.ts';
import type { Point } from '../mapping/mapping.ts';
import {
  ADDRESS,
  type MessagePlace,
  type MessageSettings,
  messageTimeMs,
  rawOf,
} from '../mapping/message-place.ts';
import { addedSince, type Total } from '../mapping/totals.ts';
import { evaluatePoints, type PointValue, type RawValue } from '../mapping/value.ts';
import type {
  AttachedDevice,
  DeviceHealth,
  DriverEvents,
  DriverParts,
  FailureCode,
  ReadFailure,
  Sample,
} from './driver.ts';
import { type MessageMapping, messageDeviceFaults, payloadOf, settingsOf } from './message-settings.ts';

export const MESSAGE_BYTES_MAX = 256 * 1024;
const SEEN_MAX = 16;
const ENDS_MAX = 2;
/**
 * The limits of a device time. A time that is further ahead or further behind is wrong, and the time of arrival is used
 * instead. The service refuses readings that are a minute ahead, or 30 days old.
 */
const AHEAD_MS_MAX = 30 * SECOND_MS;
const BEHIND_MS_MAX = 28 * DAY_MS;
/** Rain that fell while the bridge was not running is counted only if that time was not longer than this. */
const TOTAL_AGE_MS_MAX = DAY_MS;
const TOTAL_KEPT_EVERY_MS = HOUR_MS;
/** A message in the form in which a driver passes it on. */
export interface Message {
  /** The text of the message, for points without a pointer. */
  readonly text: string;
  readonly document: unknown;
  /** The topic of the mapping that matched; `null` for the topic of its settings. */
  readonly topic: string | null;
  /** True if the broker retained the message, so that it may have any age. */
  readonly isRetained: boolean;
  readonly roundTripMs: number | null;
}

/** A device that sends without being asked: makes samples of its messages, and detects its silence. */
export class MessageDevice {
  readonly attached: AttachedDevice;
  readonly settings: MessageSettings;
  readonly #points: readonly Point<MessagePlace>[];
  readonly #payload: Pointer;
  readonly #events: DriverEvents;
  readonly #parts: DriverParts;
  readonly #silentAfterMs: number;
  readonly #totals = new Map<string, Total>();
  readonly #kept = new Map<string, Total>();
  readonly #seen: string[] = [];
  #lastAnswerMs: number | null = null;
  /**
   * The time of the last message by a clock that is never set, so that setting the clock neither begins nor ends the silence of
   * a device.
   */
  #heardMs: number | null = null;
  #lastSampleAtMs = Number.NEGATIVE_INFINITY;
  #roundTripMs: number | null = null;
  #isUnavailable = false;
  #isSilent = false;
  #lastFailure: DeviceHealth['lastFailure'] = null;
  #messages = 0;
  #failures = 0;
  #failuresInARow = 0;
  #endsInARow = 0;
  #nextTryMs: number | null = null;
  #timeouts = 0;
  #repeated = 0;

  constructor(attached: AttachedDevice, events: DriverEvents, parts: DriverParts) {
    const mapping = attached.mapping as MessageMapping;
    const { network, silent_after } = attached.options;
    this.attached = attached;
    this.settings = settingsOf(mapping, network);
    this.#points = mapping.points as readonly Point<MessagePlace>[];
    this.#payload = payloadOf(attached);
    this.#events = events;
    this.#parts = parts;
    this.#silentAfterMs =
      typeof silent_after === 'string' ? durationMs(silent_after) : this.settings.silentAfterMs;
  }

  get id(): string {
    return this.attached.id;
  }

  /** Returns the topic with the address of the device. */
  topicOf(topic: string): string {
    return topic.replaceAll(ADDRESS, String(this.attached.options['address']));
  }

  /** Returns the filters of its points, each with the topic in the mapping. */
  topics(): { readonly filter: string; readonly topic: string | null }[] {
    const topics = new Set(this.#points.map(({ place }) => place.topic));
    return [...topics].flatMap((topic) => {
      const filter = topic ?? this.settings.topic;
      return filter === null ? [] : [{ filter: this.topicOf(filter), topic }];
    });
  }

  /** Returns whether a message on this topic must be JSON, because a point has a pointer into it. */
  needsDocument(topic: string | null): boolean {
    return this.#points.some(({ place }) => place.topic === topic && place.pointer !== null);
  }

  /** Returns whether the message is from this device, if several devices send to the same place. */
  isAddressed(document: unknown): boolean {
    const { address } = this.attached.options;
    if (typeof address !== 'string' || this.settings.address === null) return true;
    return pointedText(this.settings.address, document)?.toLowerCase() === address.toLowerCase();
  }

  /** Returns whether the mapping is for messages of this kind. */
  isMeant(document: unknown): boolean {
    const { only } = this.settings;
    return only === null || pointedText(only.pointer, document) === only.is;
  }

  /** Handles a message. One that cannot be used is a failure of this device only. */
  received(message: Message): void {
    let sample: Sample | null;
    try {
      sample = this.#sampleOf(message);
    } catch (error) {
      this.failed('malformed', `the message cannot be used: ${String(error)}`);
      return;
    }
    if (sample !== null) this.#events.sample(sample);
  }

  /** Returns the sample of a message; `null` if the message has nothing new. */
  #sampleOf(message: Message): Sample | null {
    const { once } = this.settings;
    const { document, isRetained } = message;
    if (!this.isMeant(document)) return null;
    const nowMs = this.#parts.now();
    const ownMs = this.#timeOf(document, nowMs);
    const atMs = ownMs ?? nowMs;
    // The age of a retained message without its own time is not known.
    if (isRetained && (ownMs === null || atMs <= this.#lastSampleAtMs)) return null;
    this.#messages += 1;
    if (
      once.length > 0 &&
      this.#isRepeated(once.map((pointer) => pointedText(pointer, document)).join(' '))
    ) {
      this.#repeated += 1;
      return null;
    }
    this.#answered(nowMs, isRetained ? nowMs - atMs : 0, message.roundTripMs);
    const hasOwnTime = ownMs !== null;
    const values = this.#values(message, atMs, hasOwnTime);
    if (values.length === 0) return null;
    this.#lastSampleAtMs = Math.max(this.#lastSampleAtMs, atMs);
    return { deviceId: this.id, atMs, hasOwnTime, roundTripMs: message.roundTripMs, values };
  }

  /** Returns the values of a message for people; nothing is remembered. */
  look(message: Message): Sample {
    const nowMs = this.#parts.now();
    const atMs = this.#timeOf(message.document, nowMs) ?? nowMs;
    const values = evaluatePoints(this.#points, this.#raws(message));
    return { deviceId: this.id, atMs, roundTripMs: message.roundTripMs, values };
  }

  /** Handles a report of the device, or of its gateway, about whether it is online. */
  available(isAvailable: boolean): void {
    if (!isAvailable && !this.#isUnavailable)
      this.failed('no_data', 'its gateway says that it is offline', true);
    this.#isUnavailable = !isAvailable;
  }

  /** Records when a device that could not be asked, or reached, is tried again. */
  triesAgainAt(atMs: number): void {
    this.#nextTryMs = atMs;
  }

  /** Records a failure. `isEnd` means that all its values are stale; after two such failures in a row the device is silent. */
  failed(code: FailureCode, detail: string, isEnd = false): void {
    const failure: ReadFailure = { code, detail, points: isEnd ? this.#points.map(({ name }) => name) : [] };
    this.#failures += 1;
    this.#failuresInARow += 1;
    this.#endsInARow += isEnd ? 1 : 0;
    if (this.#endsInARow >= ENDS_MAX) this.#isSilent = true;
    if (code === 'timeout') this.#timeouts += 1;
    this.#lastFailure = { ...failure, atMs: this.#parts.now() };
    this.#events.failed(this.id, failure);
  }

  /** Is called every second: detects a device that has sent nothing for too long. */
  checkSilence(): void {
    if (this.#heardMs === null || this.#isSilent) return;
    if (monotonicMs() - this.#heardMs <= this.#silentAfterMs) return;
    this.#isSilent = true;
    this.failed('no_data', `nothing for ${Math.round(this.#silentAfterMs / 1_000)} s`, true);
  }

  health(): DeviceHealth {
    const isSilent = this.#isSilent || this.#isUnavailable;
    const heard = this.#lastAnswerMs === null ? 'waiting' : 'answering';
    return {
      deviceId: this.id,
      state: isSilent ? 'silent' : heard,
      lastAnswerMs: this.#lastAnswerMs,
      roundTripMs: this.#roundTripMs,
      breaker: {
        open: this.#nextTryMs !== null,
        nextTryMs: this.#nextTryMs,
        failures: this.#failuresInARow,
      },
      lastFailure: this.#lastFailure,
      counters: {
        requests: this.#messages,
        failures: this.#failures,
        timeouts: this.#timeouts,
        skipped: this.#repeated,
        latenessMsMax: 0,
      },
    };
  }

  #answered(nowMs: number, ageMs: number, roundTripMs: number | null): void {
    const heardMs = Math.max(this.#heardMs ?? Number.NEGATIVE_INFINITY, monotonicMs() - ageMs);
    this.#heardMs = heardMs;
    this.#lastAnswerMs = nowMs - (monotonicMs() - heardMs);
    this.#roundTripMs = roundTripMs;
    this.#isSilent = monotonicMs() - heardMs > this.#silentAfterMs;
    this.#isUnavailable = false;
    this.#failuresInARow = 0;
    this.#endsInARow = 0;
    this.#nextTryMs = null;
  }

  /** Returns the time in a message; `null` if there is none, or if the clock of the device is wrong. */
  #timeOf(document: unknown, nowMs: number): number | null {
    const { time } = this.settings;
    const saidMs = time === null ? null : messageTimeMs(pointed(time.pointer, document), time.as);
    const isRight = saidMs !== null && saidMs <= nowMs + AHEAD_MS_MAX && saidMs >= nowMs - BEHIND_MS_MAX;
    return isRight ? saidMs : null;
  }

  #isRepeated(message: string): boolean {
    if (this.#seen.includes(message)) return true;
    this.#seen.push(message);
    if (this.#seen.length > SEEN_MAX) this.#seen.shift();
    return false;
  }

  #raws({ text, document, topic }: Message): (point: string) => RawValue | undefined {
    const payload = pointed(this.#payload, document);
    const raws = new Map<string, RawValue>();
    for (const { name, place } of this.#points) {
      const raw = place.topic === topic ? rawOf(place, payload, text) : undefined;
      if (raw !== undefined) raws.set(name, raw);
    }
    return (point) => raws.get(point);
  }

  #values(message: Message, atMs: number, hasOwnTime: boolean): PointValue[] {
    const values = evaluatePoints(this.#points, this.#raws(message));
    const counters = new Map(
      this.#points.flatMap((point) => (point.place.isDifference ? [[point.name, point] as const] : [])),
    );
    if (counters.size === 0) return values;
    return values.flatMap((value) => {
      const counter = counters.get(value.point);
      if (counter === undefined || value.value === null || value.quality === 'bad') return [value];
      const added = this.#addedTo(counter, value.value, atMs, hasOwnTime);
      return added === null ? [] : [{ ...value, value: Number(added.toPrecision(DIGITS)) }];
    });
  }

  #addedTo(point: Point<MessagePlace>, value: number, atMs: number, hasOwnTime: boolean): number | null {
    const counter = this.#counterOf(point);
    const previous = this.#totals.get(counter) ?? this.#keptTotal(counter, atMs);
    // Messages without their own time are in the order of arrival, even if the clock of the bridge is set back.
    const orderMs = hasOwnTime || previous === null ? atMs : Math.max(atMs, previous.atMs + 1);
    const { added, total } = addedSince(previous, { atMs: orderMs, value });
    this.#totals.set(counter, total);
    const kept = this.#kept.get(counter);
    if (kept?.value !== total.value || total.atMs - kept.atMs > TOTAL_KEPT_EVERY_MS) {
      this.#kept.set(counter, total);
      this.#parts.totals?.keepTotal(counter, total);
    }
    return added;
  }

  #keptTotal(counter: string, atMs: number): Total | null {
    const kept = this.#parts.totals?.totalOf(counter) ?? null;
    return kept === null || Math.abs(atMs - kept.atMs) > TOTAL_AGE_MS_MAX ? null : kept;
  }

  /**
   * The name includes everything that identifies the place and the reading of a counter, because totals of different counters
   * cannot be compared.
   */
  #counterOf({ name, place, rules: { scale, unit, convert } }: Point<MessagePlace>): string {
    const { id, endpoint, options, mapping } = this.attached;
    const { address = null, network = null } = options;
    const device = [id, name, endpoint, address, network, mapping.name, mapping.version];
    return JSON.stringify([...device, place, scale, unit, convert]);
  }
}

/** The number of digits of a difference, which has the rounding errors of both totals. */
const DIGITS = 9;

/** The devices of a driver, with the timer that checks their silence. */
export class MessageDevices {
  readonly all: readonly MessageDevice[];
  #timer: NodeJS.Timeout | undefined;

  constructor(attached: readonly AttachedDevice[], events: DriverEvents, parts: DriverParts) {
    for (const device of attached) {
      const [fault] = messageDeviceFaults(device);
      if (fault !== undefined) throw new Error(`${device.id}: ${fault}`);
    }
    this.all = attached.map((device) => new MessageDevice(device, events, parts));
  }

  start(): void {
    this.#timer = setInterval(() => {
      for (const device of this.all) device.checkSilence();
    }, SILENCE_CHECK_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  health(): DeviceHealth[] {
    return this.all.map((device) => device.health());
  }

  /** The devices of each endpoint. */
  byEndpoint(): Map<string, MessageDevice[]> {
    return Map.groupBy(this.all, ({ attached }) => attached.endpoint);
  }
}

const SILENCE_CHECK_MS = 1_000;

/** Parses a text; returns `undefined` if it is no JSON document. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
