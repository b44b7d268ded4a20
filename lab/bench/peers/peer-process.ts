import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { atExit } from '../../../tools/at-exit.ts';
import { pathWithServers } from '../../../tools/test-setup/debian-packages.ts';

const POLL_MS = 20;

/** Starts a program of others with its output discarded; a measurement that is ended does not leave it behind. */
export function spawnPeer(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const variables = { ...process.env, ...env, PATH: pathWithServers() };
  const child = spawn(command, args, { env: variables, stdio: 'ignore' });
  child.once(
    'exit',
    atExit(() => child.kill('SIGKILL')),
  );
  return child;
}

export async function endPeer(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill();
  await exited;
}

/** Resolves when the program accepts connections. */
export async function untilListening(child: ChildProcess, port: number): Promise<void> {
  while (!(await accepts(port))) {
    if (child.exitCode !== null) throw new Error(`${child.spawnfile} ended with ${child.exitCode}`);
    await sleep(POLL_MS);
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
