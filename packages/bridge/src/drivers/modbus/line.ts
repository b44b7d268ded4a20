import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { lookUpDevice } from '../asked-endpoint.ts';
import type { FailureCode } from '../driver.ts';
import { ReadError } from '../read-error.ts';
import { openSerial, type SerialSettings, serialSettings } from '../serial-line.ts';
import { AnswerReader, dataOf, type Frame, type Framing, type ReadRequest, requestFrame } from './frame.ts';

/** The address at which Modbus devices are reached. */
export type LineAddress =
  | { readonly kind: 'tcp' | 'rtu+tcp'; readonly host: string; readonly port: number }
  | ({ readonly kind: 'serial' } & SerialSettings);

const MODBUS_PORT = 502;

/** Parses an address; throws an error with a sentence for a person. */
export function parseLineAddress(text: string): LineAddress {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol === 'tcp:' || url?.protocol === 'rtu+tcp:') {
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
    const port = url.port === '' ? MODBUS_PORT : Number(url.port);
    if (host !== '' && port > 0) return { kind: url.protocol === 'tcp:' ? 'tcp' : 'rtu+tcp', host, port };
  }
  const serial = url?.protocol === 'serial:' ? serialSettings(url) : null;
  if (serial !== null) return { kind: 'serial', ...serial };
  throw new Error(
    `"${text}" is no endpoint of Modbus: use tcp://host:502, rtu+tcp://host:port or serial:///dev/ttyUSB0?baud=9600&parity=even&stop=1`,
  );
}

/** A request with its answer, for recordings. */
export interface Exchange {
  readonly unit: number;
  readonly request: ReadRequest;
  readonly outcome: { readonly data: Buffer } | { readonly failure: ReadError };
}

export interface LineOptions {
  readonly pauseAfterConnectMs: number;
  /** Is called with every request and its answer. */
  readonly tap?: (exchange: Exchange) => void;
}

const CONNECT_MS_MAX = 2_000;
/** The limit of timeouts in a row without a single byte; then the connection is opened again. */
const SILENT_REQUESTS_MAX = 3;
const KEEP_ALIVE_MS = 10_000;
/**
 * The limit of answers without a request. A device that sends more does not use Modbus; the connection is opened again, so that
 * the device does not keep the bridge busy.
 */
const UNASKED_MAX = 64;
const TRANSACTIONS = 0x1_0000;
/** The silence between two frames of a fast serial line. */
const SILENCE_MS_MIN = 2;
const SILENCE_BITS = 38.5;

interface Waiting {
  readonly transaction: number;
  settle(outcome: Frame | ReadError): void;
}

/**
 * One connection to one or many Modbus devices, with one request at a time: a caller waits for the answer before the next
 * request. It is opened by the first request, and again by the first request after it was lost.
 */
export class ModbusLine {
  readonly #address: LineAddress;
  readonly #options: LineOptions;
  readonly #framing: Framing;
  #stream: Duplex | undefined;
  #reader: AnswerReader;
  #waiting: Waiting | undefined;
  #transaction = 0;
  #silentRequests = 0;
  #lastByteMs = 0;
  /** The number of answers since the last request. */
  #unasked = 0;
  /** A late answer on a serial line cannot be distinguished from the next one, so no request is sent before this time. */
  #quietUntilMs = 0;
  /** The addresses in requests with the same unit, function and length: their answers look the same on a serial line. */
  readonly #addresses = new Map<string, Set<number>>();
  /** The requests whose answer may still arrive, by the form of their answers. */
  readonly #unanswered = new Map<string, { readonly count: number; readonly timeoutMs: number }>();

  constructor(address: LineAddress, options: LineOptions) {
    this.#address = address;
    this.#options = options;
    this.#framing = address.kind === 'tcp' ? 'tcp' : 'rtu';
    this.#reader = new AnswerReader(this.#framing);
  }

  /** Sends a request and returns the data of the answer; throws a `ReadError`. */
  async ask(unit: number, request: ReadRequest, timeoutMs: number): Promise<Buffer> {
    try {
      // Otherwise the next answer would count as the rest of an incomplete one.
      if (this.#framing === 'tcp' && this.#reader.hasPart) this.#drop();
      const stream = this.#stream ?? (await this.#open());
      if (this.#framing === 'rtu') await this.#resynchronise(stream, unit, request, timeoutMs);
      const data = dataOf(request, unit, await this.#exchange(stream, unit, request, timeoutMs));
      this.#options.tap?.({ unit, request, outcome: { data } });
      return data;
    } catch (error) {
      const failure =
        error instanceof ReadError
          ? error
          : new ReadError('connection_lost', String(error), { isConnection: true });
      // The right answer may still arrive.
      if (this.#framing === 'rtu' && (failure.code === 'wrong_unit' || failure.code === 'malformed'))
        this.#quietUntilMs = performance.now() + timeoutMs;
      if (this.#framing === 'rtu' && failure.code !== 'exception' && !failure.isConnection) {
        const before = this.#unanswered.get(shapeOf(unit, request));
        this.#unanswered.set(shapeOf(unit, request), {
          count: (before?.count ?? 0) + 1,
          timeoutMs: Math.max(before?.timeoutMs ?? 0, timeoutMs),
        });
      }
      this.#options.tap?.({ unit, request, outcome: { failure } });
      throw failure;
    }
  }

  close(): void {
    this.#drop();
    this.#waiting?.settle(
      new ReadError('connection_lost', 'the connection was closed', { isConnection: true }),
    );
  }

  #drop(): void {
    const stream = this.#stream;
    this.#stream = undefined;
    stream?.destroy();
  }

  async #open(): Promise<Duplex> {
    const stream =
      this.#address.kind === 'serial'
        ? await openSerial(this.#address)
        : await openSocket(this.#address.host, this.#address.port);
    this.#stream = stream;
    this.#reader = new AnswerReader(this.#framing);
    this.#silentRequests = 0;
    stream.on('data', (bytes: Buffer) => this.#read(bytes));
    const lost = (error?: Error) => {
      if (this.#stream !== stream) return;
      this.#drop();
      const told = error === undefined ? 'the other side closed the connection' : error.message;
      this.#waiting?.settle(new ReadError('connection_lost', told, { isConnection: true }));
    };
    stream.on('error', lost);
    stream.on('end', () => lost());
    stream.on('close', () => lost());
    await pause(this.#options.pauseAfterConnectMs);
    return stream;
  }

  async #exchange(stream: Duplex, unit: number, request: ReadRequest, timeoutMs: number): Promise<Frame> {
    if (this.#framing === 'rtu') await this.#silence(timeoutMs);
    this.#unasked = 0;
    this.#transaction = (this.#transaction + 1) % TRANSACTIONS;
    const transaction = this.#framing === 'tcp' ? this.#transaction : 0;
    // Bytes without a request are late answers.
    if (this.#framing === 'rtu') this.#reader.clear();
    const outcome = await new Promise<Frame | ReadError>((settle) => {
      const timer = setTimeout(() => {
        this.#timedOut(timeoutMs);
        settle(new ReadError('timeout', `no answer within ${timeoutMs} ms`));
      }, timeoutMs);
      this.#waiting = {
        transaction,
        settle: (result) => {
          clearTimeout(timer);
          settle(result);
        },
      };
      if (this.#stream === stream) stream.write(requestFrame(this.#framing, transaction, unit, request));
      else
        this.#waiting.settle(
          new ReadError('connection_lost', 'the connection was lost', { isConnection: true }),
        );
    });
    this.#waiting = undefined;
    if (outcome instanceof ReadError) throw outcome;
    return outcome;
  }

  /**
   * Handles the first request after one without an answer: its answer may be the late answer for another register, so it is not
   * used. Nothing is sent until no late answer can arrive any more; then the device is asked again.
   */
  async #resynchronise(stream: Duplex, unit: number, request: ReadRequest, timeoutMs: number): Promise<void> {
    const shape = shapeOf(unit, request);
    const addresses = this.#addresses.get(shape) ?? new Set();
    this.#addresses.set(shape, addresses.add(request.at));
    const unanswered = this.#unanswered.get(shape);
    if (unanswered === undefined) return;
    if (addresses.size > 1) {
      await this.#exchange(stream, unit, request, timeoutMs);
      const quietMs = LATE_FACTOR * unanswered.timeoutMs;
      for (const endsMs = performance.now() + LATE_ROUNDS * quietMs; performance.now() < endsMs; ) {
        const leftMs = this.#lastByteMs + quietMs - performance.now();
        if (leftMs <= 0) break;
        await pause(Math.ceil(leftMs));
      }
    }
    this.#unanswered.delete(shape);
  }

  #timedOut(timeoutMs: number): void {
    this.#silentRequests += 1;
    if (this.#framing === 'rtu') this.#quietUntilMs = performance.now() + timeoutMs;
    if (this.#silentRequests >= SILENT_REQUESTS_MAX) this.#drop();
  }

  #read(bytes: Buffer): void {
    this.#silentRequests = 0;
    this.#lastByteMs = performance.now();
    // The late answer has arrived.
    if (this.#waiting === undefined) this.#quietUntilMs = 0;
    try {
      for (const frame of this.#reader.push(bytes)) {
        // An answer to an earlier request is not used.
        if (frame.transaction === this.#waiting?.transaction) this.#waiting.settle(frame);
        else if (this.#waiting === undefined) this.#late();
        this.#unasked += 1;
        if (this.#unasked > UNASKED_MAX)
          throw new ReadError('malformed', 'the device sends answers that nobody has asked for');
      }
    } catch (error) {
      this.#reader.clear();
      if (error instanceof ReadError) this.#waiting?.settle(error);
      // After invalid bytes, the beginning of the next answer is not known.
      if (this.#framing === 'tcp') this.#drop();
    }
  }

  /** Handles an answer without a request: if only one answer was missing, none is missing now. */
  #late(): void {
    const [first, ...others] = this.#unanswered.values();
    if (first?.count === 1 && others.length === 0) this.#unanswered.clear();
  }

  /** Waits until the device sends nothing more, and for the silence that separates two frames. */
  async #silence(timeoutMs: number): Promise<void> {
    const endsMs = Math.max(performance.now(), this.#quietUntilMs) + timeoutMs;
    const silenceMs =
      this.#address.kind === 'serial'
        ? Math.max(SILENCE_MS_MIN, Math.ceil((SILENCE_BITS * 1_000) / this.#address.baud))
        : SILENCE_MS_MIN;
    for (;;) {
      const now = performance.now();
      const waitMs = Math.max(this.#quietUntilMs - now, this.#lastByteMs + silenceMs - now);
      if (waitMs <= 0) return;
      if (now > endsMs) throw new ReadError('malformed', 'something speaks on the line without a pause');
      // The wait has small steps, because a late answer ends it.
      await pause(Math.min(Math.ceil(waitMs), DRAIN_STEP_MS));
    }
  }
}

const DRAIN_STEP_MS = 20;
/** The factor for the timeout: requests without an answer are two timeouts apart, and so are their answers, however late they are. */
const LATE_FACTOR = 2.5;
const LATE_ROUNDS = 4;

const shapeOf = (unit: number, { functionCode, count }: ReadRequest): string =>
  `${unit}/${functionCode}/${count}`;

const pause = (ms: number): Promise<void> =>
  ms <= 0 ? Promise.resolve() : new Promise((resolve) => setTimeout(resolve, ms));

const CONNECT_CODES: Readonly<Record<string, FailureCode>> = {
  ENOTFOUND: 'not_resolved',
  EAI_AGAIN: 'not_resolved',
  ETIMEDOUT: 'timeout',
};

const connectError = (cause: NodeJS.ErrnoException): ReadError =>
  new ReadError(CONNECT_CODES[cause.code ?? ''] ?? 'connection_refused', cause.message, {
    isConnection: true,
    cause,
  });

async function openSocket(host: string, port: number): Promise<Duplex> {
  const socket = connect({
    host,
    port,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_MS,
    lookup: lookUpDevice,
  });
  const timer = setTimeout(
    () =>
      socket.destroy(
        new ReadError('timeout', `no connection to ${host}:${port} within ${CONNECT_MS_MAX} ms`, {
          isConnection: true,
        }),
      ),
    CONNECT_MS_MAX,
  );
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
    return socket;
  } catch (cause) {
    throw cause instanceof ReadError ? cause : connectError(cause as NodeJS.ErrnoException);
  } finally {
    clearTimeout(timer);
    socket.removeAllListeners('error');
    socket.on('error', () => undefined);
  }
}
