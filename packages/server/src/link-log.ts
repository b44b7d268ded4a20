import { SECOND_MS } from '@granary/contract/time';
import type { LinkEvent } from '@granary/link/port';
import type { Logger } from './logger.ts';

/** Lines that one device may write at once, and how often it gets a further one. */
const LINES_BURST = 10;
const LINE_EVERY_MS = 10 * SECOND_MS;
/** Devices and addresses that are told apart; the one written longest ago is forgotten for a further one. */
const SOURCES_MAX = 10_000;

interface Allowance {
  lines: number;
  refilledAtMs: number;
  suppressed: number;
}

/** Writes link events to the log, limited per device; the next line says how many were left out. */
export class LinkLog {
  readonly #logger: Logger;
  readonly #now: () => number;
  readonly #allowances = new Map<string, Allowance>();

  constructor(logger: Logger, now: () => number) {
    this.#logger = logger;
    this.#now = now;
  }

  write(event: LinkEvent): void {
    const allowance = this.#allowanceOf(event.deviceId ?? event.remoteAddress);
    if (allowance.lines < 1) {
      allowance.suppressed += 1;
      return;
    }
    const { level, text, details } = lineOf(event);
    const suppressed = allowance.suppressed > 0 ? { suppressed_lines: allowance.suppressed } : {};
    const peer = { device_id: event.deviceId, remote_address: event.remoteAddress };
    this.#logger[level]({ ...peer, ...details, ...suppressed }, text);
    allowance.lines -= 1;
    allowance.suppressed = 0;
  }

  #allowanceOf(source: string): Allowance {
    const nowMs = this.#now();
    const known = this.#allowances.get(source) ?? { lines: LINES_BURST, refilledAtMs: nowMs, suppressed: 0 };
    const passedMs = Math.max(0, nowMs - known.refilledAtMs);
    known.lines = Math.min(LINES_BURST, known.lines + passedMs / LINE_EVERY_MS);
    known.refilledAtMs = nowMs;
    this.#allowances.delete(source);
    this.#allowances.set(source, known);
    const [oldest] = this.#allowances.keys();
    if (oldest !== undefined && this.#allowances.size > SOURCES_MAX) this.#allowances.delete(oldest);
    return known;
  }
}

interface Line {
  readonly level: 'info' | 'warn';
  readonly text: string;
  readonly details: Record<string, unknown>;
}

function lineOf(event: LinkEvent): Line {
  switch (event.kind) {
    case 'connected':
      return {
        level: 'info',
        text: event.isTakeover ? 'device connected and replaced its old connection' : 'device connected',
        details: { session: event.session },
      };
    case 'disconnected':
      return {
        level: 'info',
        text: 'device disconnected',
        details: { ending: event.ending, detail: event.detail },
      };
    case 'login_refused':
      return { level: 'info', text: 'login on the device link refused', details: { reason: event.reason } };
    case 'subscription_refused':
      return { level: 'info', text: 'subscription refused', details: { reason: event.reason } };
    case 'fault':
      return {
        level: 'warn',
        text: 'connection closed for a fault',
        details: { reason: event.reason, ...('cause' in event ? { err: event.cause } : {}) },
      };
  }
}
