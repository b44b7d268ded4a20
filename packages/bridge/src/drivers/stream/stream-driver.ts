import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { backoffMs } from '@granary/common/patience';
import { textFields } from '../../mapping/message-place.ts';
import { messageOf } from '../../message-of.ts';
import { lookUpDevice } from '../asked-endpoint.ts';
import type { DriverModule, FailureCode } from '../driver.ts';
import { type Message, type MessageDevice, MessageDevices, parseJson } from '../message-device.ts';
import { ReadError } from '../read-error.ts';
import { openSerial, serialSettings } from '../serial-line.ts';
import { NmeaReader } from './nmea.ts';

/** This file has the devices that send lines of text over TCP or a serial line: NMEA receivers, gpsd and scale indicators. */

const LINE_CHARACTERS_MAX = 4_096;
/** Indicators also put a line between the characters STX and ETX. */
const LINE_ENDS = new RegExp(`[\r\n${String.fromCharCode(2, 3)}]+`);
const BACKOFF = { firstMs: 1_000, longestMs: 30_000 };
const CONNECT_MS_MAX = 10_000;
/** The number of unreadable lines in a row that count as a failure: the first lines of a connection are often incomplete. */
const UNREADABLE_MAX = 10;
const WATCH = '?WATCH={"enable":true,"json":true};\n';

/** Makes a document from a line; `null` if the line has no value yet, `undefined` if it cannot be read. */
type LineReader = (line: string) => unknown;

function readerOf({ attached, settings }: MessageDevice): LineReader {
  const { protocol } = attached.mapping;
  if (protocol === 'gpsd') return parseJson;
  if (protocol === 'ascii') return (line) => textFields(settings.patterns, line) ?? undefined;
  const nmea = new NmeaReader();
  return (line) => nmea.read(line);
}

/** The device of one line; the connection is opened again when it has ended. */
class LineDevice {
  readonly #device: MessageDevice;
  readonly #now: () => number;
  readonly #reader: LineReader;
  readonly #everyMs: number;
  #stream: Duplex | undefined;
  #timer: NodeJS.Timeout | undefined;
  #failures = 0;
  #unreadable = 0;
  #newest: Message | null = null;
  #pause: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(device: MessageDevice, now: () => number) {
    this.#device = device;
    this.#now = now;
    this.#reader = readerOf(device);
    this.#everyMs = Math.min(...device.attached.mapping.points.map(({ everyMs }) => everyMs));
  }

  start(): void {
    void this.#open();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#pause);
    this.#stream?.destroy();
  }

  async #open(): Promise<void> {
    const { endpoint, mapping } = this.#device.attached;
    let ended: { readonly code: FailureCode; readonly detail: string };
    try {
      const stream = await openStream(new URL(endpoint));
      if (this.#isStopped) {
        stream.destroy();
        return;
      }
      this.#stream = stream;
      // gpsd sends nothing until it gets this command.
      if (mapping.protocol === 'gpsd') stream.write(WATCH);
      await this.#readLines(stream);
      ended = { code: 'connection_lost', detail: 'the other side has ended the connection' };
    } catch (error) {
      ended = { code: codeOf(error), detail: messageOf(error) };
    }
    if (this.#isStopped) return;
    this.#failures += 1;
    this.#device.failed(ended.code, ended.detail, true);
    const waitMs = backoffMs(this.#failures, BACKOFF);
    this.#device.triesAgainAt(this.#now() + waitMs);
    this.#timer = setTimeout(() => void this.#open(), waitMs);
  }

  async #readLines(stream: Duplex): Promise<void> {
    let rest = '';
    stream.setEncoding('latin1');
    for await (const chunk of stream as AsyncIterable<string>) {
      const lines = (rest + chunk).split(LINE_ENDS);
      rest = lines.pop() ?? '';
      // Data without a line end are no text and are dropped.
      if (rest.length > LINE_CHARACTERS_MAX) rest = '';
      for (const line of lines) if (line !== '') this.#line(line);
    }
  }

  #line(line: string): void {
    const text = line.slice(0, LINE_CHARACTERS_MAX);
    const document = this.#reader(text);
    if (document === undefined) {
      this.#unreadable += 1;
      if (this.#unreadable === UNREADABLE_MAX)
        this.#device.failed('malformed', `lines that cannot be read: ${text.slice(0, 60)}`);
      return;
    }
    this.#unreadable = 0;
    if (document === null || !this.#device.isMeant(document)) return;
    this.#failures = 0;
    this.#newest = { text, document, topic: null, isRetained: false, roundTripMs: null };
    if (this.#pause === undefined) this.#use();
  }

  /** Uses the newest line. An indicator sends ten lines a second: the first one is used at once, and then the newest one of each period. */
  #use(): void {
    this.#pause = undefined;
    const message = this.#newest;
    if (message === null) return;
    this.#newest = null;
    this.#device.received(message);
    this.#pause = setTimeout(() => this.#use(), this.#everyMs);
  }
}

async function openStream(url: URL): Promise<Duplex> {
  const serial = url.protocol === 'serial:' ? serialSettings(url) : null;
  if (serial !== null) return await openSerial(serial);
  const { promise, resolve, reject } = Promise.withResolvers<Duplex>();
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const socket = connect({ host, port: Number(url.port), lookup: lookUpDevice });
  const timer = setTimeout(() => socket.destroy(new TimedOut('no connection')), CONNECT_MS_MAX);
  socket.once('connect', () => resolve(socket));
  socket.once('error', reject);
  socket.setKeepAlive(true, CONNECT_MS_MAX);
  return await promise.finally(() => clearTimeout(timer));
}

class TimedOut extends Error {}

function codeOf(error: unknown): FailureCode {
  if (error instanceof TimedOut) return 'timeout';
  if (error instanceof ReadError) return error.code;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ECONNREFUSED') return 'connection_refused';
  return code === 'ENOTFOUND' || code === 'EAI_AGAIN' ? 'not_resolved' : 'connection_lost';
}

export const makeDriver: DriverModule['makeDriver'] = (attached, events, parts) => {
  const devices = new MessageDevices(attached, events, parts);
  const lines = devices.all.map((device) => new LineDevice(device, parts.now));
  return {
    start: async () => {
      devices.start();
      for (const line of lines) line.start();
    },
    stop: async () => {
      devices.stop();
      for (const line of lines) line.stop();
    },
    health: () => devices.health(),
  };
};
