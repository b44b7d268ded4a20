import { checkDeviceState, type DeviceState } from '@granary/contract/link/messages';
import type { LinkHandler } from '../port.ts';
import type { LinkRecords } from '../session/link-records.ts';
import type { ConnectedDevices } from './connected-devices.ts';

interface FeedParts {
  readonly connected: ConnectedDevices;
  readonly records: LinkRecords;
  readonly handler: Pick<LinkHandler, 'observed'>;
  /** The host of the broker stands for the address of the device, which only the broker knows. */
  readonly host: string;
  readonly now: () => number;
}

/** The time between the last will of the old connection and the first message of the new one. */
const TAKEOVER_MS_MAX = 1_000;

/** The status messages that every node receives; they say which devices are connected, and nothing of them is stored here. */
export class StatusFeed {
  readonly #parts: FeedParts;

  constructor(parts: FeedParts) {
    this.#parts = parts;
  }

  /** A retained message tells a state that may have begun long ago. An invalid one is rejected by the node that stores it. */
  received(deviceId: string, text: string, isRetained: boolean): void {
    const { connected, now } = this.#parts;
    const state = stateIn(text);
    if (state === null) {
      if (text === '') connected.delete(deviceId);
      return;
    }
    const nowMs = now();
    const change = connected.apply(deviceId, state, nowMs);
    if (change === null || isRetained) return;
    if (change === 'disconnected') this.#disconnected(deviceId, nowMs);
    else this.#connected(deviceId, change === 'taken_over' || this.#hasJustLeft(deviceId, nowMs));
  }

  /** When a client logs in while another one is connected, the broker publishes the last will of that one first. */
  #hasJustLeft(deviceId: string, nowMs: number): boolean {
    const { lastDisconnect } = this.#parts.records.of(deviceId);
    return lastDisconnect !== null && nowMs - lastDisconnect.atMs <= TAKEOVER_MS_MAX;
  }

  #connected(deviceId: string, isTakeover: boolean): void {
    const { records, handler, host: remoteAddress } = this.#parts;
    const record = records.of(deviceId);
    record.connects += 1;
    records.totals.logins += 1;
    if (isTakeover) record.takeovers += 1;
    handler.observed({ kind: 'connected', deviceId, remoteAddress, session: null, isTakeover });
    if (isTakeover)
      handler.observed({ kind: 'second_client', deviceId, remoteAddress, previousAddress: null });
  }

  #disconnected(deviceId: string, atMs: number): void {
    const { records, handler, host: remoteAddress } = this.#parts;
    const end = { ending: 'lost', detail: 'the device or its last will said so' } as const;
    records.of(deviceId).lastDisconnect = { atMs, ...end };
    handler.observed({ kind: 'disconnected', deviceId, remoteAddress, ...end });
  }
}

function stateIn(text: string): DeviceState | null {
  try {
    const value: unknown = JSON.parse(text);
    return checkDeviceState.accepts(value) ? value : null;
  } catch {
    return null;
  }
}
