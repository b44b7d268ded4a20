import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access } from 'node:fs/promises';
import { connect } from 'node:net';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { hasProgram, mayTestWith, pythonWith } from '../link/outside-clients.ts';

/** Debian's Python with pymodbus; `undefined` where it may be missing. */
export function modbusPython(t: TestContext): string | undefined {
  const python = pythonWith('pymodbus.payload');
  return mayTestWith(t, 'modbus', python !== undefined && hasProgram('mbpoll')) ? python : undefined;
}

/** Runs a third-party program until the end of the test. */
export function runPeer(t: TestContext, command: string, args: readonly string[]): ChildProcess {
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  t.after(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  });
  return child;
}

const PATIENCE_MS = 20_000;
const AGAIN_MS = 50;

async function until(what: string, isReady: () => Promise<boolean>): Promise<void> {
  const endsAtMs = performance.now() + PATIENCE_MS;
  while (!(await isReady())) {
    if (performance.now() > endsAtMs) throw new Error(`${what} did not start`);
    await sleep(AGAIN_MS);
  }
}

export const untilListening = (port: number): Promise<void> =>
  until(`the server at port ${port}`, async () => {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false);
    socket.destroy();
    return isOpen;
  });

export const untilThere = (path: string): Promise<void> =>
  until(path, () =>
    access(path).then(
      () => true,
      () => false,
    ),
  );

export type Manipulation =
  | { readonly response_type: 'normal' | 'empty' }
  | { readonly response_type: 'error'; readonly error_code: number }
  | { readonly response_type: 'delayed'; readonly delay_by: number }
  | { readonly response_type: 'stray'; readonly data_len: number };

/** The `pymodbus.server` of Debian starts its TCP server in a wrong event loop, so its parts are started here in the right one. */
const REACTIVE_SERVER = `
import asyncio, sys
from pymodbus.server.reactive.main import DEFUALT_HANDLERS, ReactiveServer
from pymodbus.transaction import ModbusSocketFramer
loop = asyncio.new_event_loop()
asyncio.set_event_loop(loop)
handler = DEFUALT_HANDLERS['ModbusConnectedRequestHandler']
app = ReactiveServer.factory('tcp', ModbusSocketFramer, modbus_port=int(sys.argv[1]), unit=[1, 2], loop=loop, single=False,
    host='127.0.0.1', web_port=int(sys.argv[2]), handler=handler, allow_reuse_address=True)
loop.run_until_complete(app.run_async())
loop.run_forever()
`;

/** The server of pymodbus, whose answers can be made wrong. */
export async function pymodbusServer(
  t: TestContext,
  python: string,
  port: number,
  webPort: number,
): Promise<(how: Manipulation) => Promise<void>> {
  runPeer(t, python, ['-c', REACTIVE_SERVER, String(port), String(webPort)]);
  await Promise.all([untilListening(port), untilListening(webPort)]);
  return async (how) => {
    const body = JSON.stringify({ clear_after: 1_000_000, ...how });
    const headers = { 'content-type': 'application/json' };
    await fetch(`http://127.0.0.1:${webPort}/`, { method: 'POST', body, headers });
  };
}

/** Writes into holding registers with mbpoll; registers are counted from 0. */
export async function pollWrite(
  port: number,
  unit: number,
  at: number,
  words: readonly number[],
): Promise<void> {
  await promisify(execFile)('mbpoll', [
    '-m',
    'tcp',
    '-p',
    String(port),
    '-a',
    String(unit),
    '-0',
    '-r',
    String(at),
    '-t',
    '4',
    '-1',
    '127.0.0.1',
    ...words.map(String),
  ]);
}

/** Reads with mbpoll, and returns the lines that it prints. */
export async function pollRead(
  port: number,
  unit: number,
  at: number,
  count: number,
  type = '4:hex',
): Promise<string[]> {
  const { stdout } = await promisify(execFile)('mbpoll', [
    '-m',
    'tcp',
    '-p',
    String(port),
    '-a',
    String(unit),
    '-0',
    '-r',
    String(at),
    '-c',
    String(count),
    '-t',
    type,
    '-1',
    '127.0.0.1',
  ]);
  return stdout.split('\n').filter((line) => line.startsWith('['));
}
