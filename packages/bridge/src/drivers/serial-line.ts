import { execFile } from 'node:child_process';
import { constants, openSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Duplex } from 'node:stream';
import { ReadStream } from 'node:tty';
import { promisify } from 'node:util';
import { ReadError } from './read-error.ts';

const PARITIES = ['none', 'even', 'odd'] as const;

export interface SerialSettings {
  readonly path: string;
  readonly baud: number;
  readonly parity: (typeof PARITIES)[number];
  readonly stopBits: 1 | 2;
}

const BAUD_DEFAULT = 9_600;
const BAUD_MAX = 1_000_000;
const SETTINGS = ['baud', 'parity', 'stop'];

/** Parses an endpoint such as `serial:///dev/ttyUSB0?baud=9600&parity=even&stop=1`; returns `null` if it is none. */
export function serialSettings({ pathname, searchParams }: URL): SerialSettings | null {
  const baud = Number(searchParams.get('baud') ?? BAUD_DEFAULT);
  const parity = PARITIES.find((one) => one === (searchParams.get('parity') ?? 'none'));
  const stopBits = Number(searchParams.get('stop') ?? 1);
  const isKnown = [...searchParams.keys()].every((name) => SETTINGS.includes(name));
  if (pathname.length < 2 || !isKnown || parity === undefined) return null;
  if (!Number.isInteger(baud) || baud <= 0 || baud > BAUD_MAX) return null;
  if (stopBits !== 1 && stopBits !== 2) return null;
  return { path: decodeURIComponent(pathname), baud, parity, stopBits };
}

const FLAGS = constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK;
const PARITY_SETTINGS = {
  none: ['-parenb'],
  even: ['parenb', '-parodd'],
  odd: ['parenb', 'parodd'],
} as const;

/**
 * Opens a serial line as a stream of bytes in both directions. The line is set by `stty` and read as a terminal: the platform
 * has everything that a line needs, and no foreign native code can crash the process.
 */
export async function openSerial({ path, baud, parity, stopBits }: SerialSettings): Promise<Duplex> {
  if (process.platform === 'win32')
    throw new ReadError(
      'driver_missing',
      'serial lines are read on Linux and macOS only: use a serial gateway with rtu+tcp://',
      { isConnection: true },
    );
  const refused = (cause: Error): never => {
    throw new ReadError('connection_refused', `${path} cannot be opened: ${cause.message.trim()}`, {
      isConnection: true,
      cause,
    });
  };
  const file = await open(path, FLAGS).catch(refused);
  await file.close();
  const settings = [String(baud), 'raw', '-echo', 'cs8', 'clocal', stopBits === 2 ? 'cstopb' : '-cstopb'];
  const place = process.platform === 'darwin' ? '-f' : '-F';
  await promisify(execFile)('stty', [place, path, ...settings, ...PARITY_SETTINGS[parity]]).catch(refused);
  return new ReadStream(openSync(path, FLAGS));
}
