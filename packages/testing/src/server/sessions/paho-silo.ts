import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { CuttingProxy } from './cutting-proxy.ts';
import { type Delivered, DeviceLog } from './device-log.ts';
import type { DeviceParts, RigDevice } from './session-device.ts';

const SCRIPT = fileURLToPath(new URL('./paho-silo.py', import.meta.url));
const IGNORED_STOPS_SHARE = 0.3;

type Line =
  | { readonly kind: 'received'; readonly at: number; readonly command: Delivered }
  | { readonly kind: 'execute'; readonly at: number; readonly id: string }
  | { readonly kind: 'move'; readonly at: number; readonly id: string; readonly weight: number };

/** A silo on the paho client, in a process of its own, which is killed when the silo loses its memory. */
export class PahoSilo implements RigDevice {
  readonly log = new DeviceLog();
  readonly deviceId: string;
  readonly proxy: CuttingProxy;
  readonly #python: string;
  readonly #parts: DeviceParts;
  #weightKg: number;
  #process: ChildProcess;

  constructor(python: string, parts: DeviceParts, weightKg: number) {
    this.#python = python;
    this.deviceId = parts.deviceId;
    this.proxy = parts.proxy;
    this.#parts = parts;
    this.#weightKg = weightKg;
    this.#process = this.#spawn();
  }

  restartWithoutMemory(): void {
    this.#process.kill('SIGKILL');
    this.#process = this.#spawn();
  }

  leave(): void {
    this.#process.kill('SIGKILL');
  }

  #spawn(): ChildProcess {
    const { proxyPort, deviceId, secret } = this.#parts;
    const args = [SCRIPT, proxyPort, deviceId, secret, this.#weightKg, IGNORED_STOPS_SHARE].map(String);
    const child = spawn(this.#python, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    createInterface({ input: child.stdout }).on('line', (text) => this.#note(JSON.parse(text)));
    return child;
  }

  #note(line: Line): void {
    if (line.kind === 'received') this.log.deliver(line.command, line.at);
    if (line.kind === 'execute') this.log.execute(line.id);
    if (line.kind !== 'move') return;
    this.#weightKg = line.weight;
    this.log.move(line.id, line.at);
  }
}
