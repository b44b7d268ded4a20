import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Started } from '@granary/server/compose';

export interface ServiceProcess extends Started {
  readonly pid: number;
  /** Ends the process with SIGKILL. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

type Env = Readonly<Record<string, string>>;

/** `npm test` names a built form of the program, which starts faster. */
const PROGRAM = process.env['GRANARY_TEST_SERVICE'] ?? new URL('./child.ts', import.meta.url);

/** Starts the service as a separate process on free ports, for tests that crash it and measurements that load it. */
export async function startServiceProcess(env: Env): Promise<ServiceProcess> {
  const child = fork(PROGRAM, {
    execArgv: [],
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      NODE_OPTIONS: process.env['NODE_OPTIONS'],
      GRANARY_HTTP_PORT: '0',
      GRANARY_MQTT_PORT: '0',
      GRANARY_LOG_LEVEL: 'error',
      ...env,
    },
  });
  const started = await firstMessage(child);
  const { pid } = child;
  if (pid === undefined) throw new Error('the process has no id');
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  };
  return { ...started, pid, kill: () => end('SIGKILL'), stop: () => end('SIGTERM') };
}

function firstMessage(child: ChildProcess): Promise<Started> {
  return new Promise((resolve, reject) => {
    child.once('message', (message: Started | { failed: string }) => {
      if ('failed' in message) reject(new Error(message.failed));
      else resolve(message);
    });
    child.once('exit', (code, signal) => reject(new Error(`the service ended with ${code ?? signal}`)));
  });
}
