import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { MINUTE_MS, SECOND_MS } from '@granary/contract/time';
import type { Logger } from '../process/logging/logger.ts';

const FIRST_WAIT_MS = SECOND_MS;
const WAIT_MS_MAX = MINUTE_MS;
/** A process that has run for so long is started again at once. */
const STEADY_MS = 5 * MINUTE_MS;
const STOP_MS = 5 * SECOND_MS;

export interface BridgeProcessOptions {
  readonly siteFile: string;
  /** The program that has the command `bridge run`, with the arguments before it; the present one unless given. */
  readonly command?: readonly string[];
  readonly httpUrl: string;
  readonly mqttUrl: string;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
}

/** Runs a bridge beside the service in a process of its own, starts it again when it has ended, and ends it with the service. */
export class BridgeProcess {
  readonly #options: BridgeProcessOptions;
  #child: ChildProcess | null = null;
  #timer: NodeJS.Timeout | undefined;
  #failures = 0;
  #isStopped = false;

  constructor(options: BridgeProcessOptions) {
    this.#options = options;
  }

  start(): void {
    const { siteFile, httpUrl, mqttUrl, logger } = this.#options;
    const { command = [process.execPath, ...process.execArgv, process.argv[1] ?? ''] } = this.#options;
    const [program = process.execPath, ...before] = command;
    const startedMs = performance.now();
    // It ends when its input is closed, so that no bridge is left over when the service is killed.
    const child = spawn(program, [...before, 'bridge', 'run', '--site', siteFile, '--supervised'], {
      stdio: ['pipe', 'inherit', 'inherit'],
      env: { ...process.env, GRANARY_URL: httpUrl, GRANARY_MQTT_URL: mqttUrl },
    });
    this.#child = child;
    logger.info({ siteFile, pid: child.pid }, 'the bridge is started');
    const ended = (reason: string): void => {
      if (this.#child !== child) return;
      this.#child = null;
      if (this.#isStopped) return;
      this.#failures = performance.now() - startedMs > STEADY_MS ? 1 : this.#failures + 1;
      const waitMs = Math.min(WAIT_MS_MAX, FIRST_WAIT_MS * 2 ** (this.#failures - 1));
      logger.error({ reason, again_in_s: waitMs / SECOND_MS }, 'the bridge has ended and is started again');
      this.#timer = setTimeout(() => this.start(), waitMs);
    };
    child.once('error', (error) => ended(error.message));
    child.once('exit', (code, signal) => ended(signal ?? `exit code ${code}`));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    const child = this.#child;
    if (child === null) return;
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    const timer = setTimeout(() => {
      this.#options.logger.warn({ after_s: STOP_MS / SECOND_MS }, 'the bridge does not end and is killed');
      child.kill('SIGKILL');
    }, STOP_MS);
    await exited;
    clearTimeout(timer);
  }
}
