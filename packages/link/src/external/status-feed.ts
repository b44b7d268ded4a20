import { checkDeviceState, type DeviceState } from '@granary/contract/link/messages';
import type { LinkHandler } from '../port.ts';
import type { LinkRecords } from '../session/link-records.ts';
import type { ConnectedDevices } from './connected-devices.ts';

interface FeedParts {
  readonly connected: ConnectedDevices;
  readonly records: LinkRecords;
  readonly handler: Pick<LinkHandler, 'observed'>;
  readonly deviceConnected: (deviceId: string) => void;
  /** The host of the broker. It is used as the address of devices, because only the broker knows their addresses. */
  readonly host: string;
  readonly now: () => number;
}

/** The time between the last will of the old connection and the first message of the new one. */
const TAKEOVER_MS_MAX = 1_000;

/** Handles the status messages that every node receives. They tell which devices are connected; nothing of them is stored here. */
export class StatusFeed {
  readonly #parts: FeedParts;
  /** The devices of which only a retained message is known: their connection may have ended together with the connection of this node. */
  readonly #retained = new Set<string>();
  /** The time at which the present connection to the broker was opened. */
  #sinceMs = 0;

  constructor(parts: FeedParts) {
    this.#parts = parts;
  }

  /** Begins a new connection, on which nothing is known yet. */
  begin(): void {
    this.#parts.connected.clear();
    this.#retained.clear();
    this.#sinceMs = this.#parts.now();
  }

  /** Handles a status message. A retained one may have an old state. An invalid one is rejected by the node that stores it. */
  received(deviceId: string, text: string, isRetained: boolean): void {
    const { connected, deviceConnected, now } = this.#parts;
    const state = stateIn(text);
    if (state === null) {
      if (text === '') connected.delete(deviceId);
      return;
    }
    const nowMs = now();
    const change = connected.apply(deviceId, state, nowMs);
    const wasRetained = this.#retained.delete(deviceId);
    if (isRetained) this.#retained.add(deviceId);
    if (change === 'disconnected') {
      if (!isRetained) this.#disconnected(deviceId, nowMs);
    } else if (change !== null) {
      deviceConnected(deviceId);
      const isTakeover = change === 'taken_over' ? !wasRetained : this.#hasJustLeft(deviceId, nowMs);
      if (!isRetained) this.#connected(deviceId, isTakeover);
    }
  }

  /** When a client logs in while another one is connected, the broker publishes the last will of that one first. */
  #hasJustLeft(deviceId: string, nowMs: number): boolean {
    const { lastDisconnect } = this.#parts.records.of(deviceId);
    if (lastDisconnect === null || lastDisconnect.atMs < this.#sinceMs) return false;
    return nowMs - lastDisconnect.atMs <= TAKEOVER_MS_MAX;
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
