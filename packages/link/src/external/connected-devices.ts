import type { DeviceState } from '@granary/contract/link/messages';
import { CONNECTED_DEVICES_MAX } from './limits.ts';

interface DeviceConnection {
  readonly state: DeviceState['state'];
  readonly session: string | null;
  readonly isConnected: boolean;
  /** False after the broker has reported that nobody is subscribed to the commands of the device. */
  readonly isSubscribed: boolean;
  readonly sinceMs: number;
}

/** The effect of a status message: the device connected, connected again, disconnected, or nothing changed. */
export type ConnectionChange = 'connected' | 'taken_over' | 'disconnected' | null;

/** The devices that are connected to the broker, by their status messages; the end of an older session changes nothing. */
export class ConnectedDevices {
  readonly #devices = new Map<string, DeviceConnection>();
  #connectedCount = 0;

  get connectedCount(): number {
    return this.#connectedCount;
  }

  isConnected(deviceId: string): boolean {
    return this.#devices.get(deviceId)?.isConnected ?? false;
  }

  isReachable(deviceId: string): boolean {
    const known = this.#devices.get(deviceId);
    return (known?.isConnected ?? false) && (known?.isSubscribed ?? false);
  }

  connectedSinceMs(deviceId: string): number | null {
    const known = this.#devices.get(deviceId);
    return known?.isConnected ? known.sinceMs : null;
  }

  /** Returns whether this is the newest message of the device; `null` if none is known. */
  isNewest(deviceId: string, { state, session }: DeviceState): boolean | null {
    const known = this.#devices.get(deviceId);
    return known === undefined ? null : known.state === state && known.session === (session ?? null);
  }

  apply(deviceId: string, message: DeviceState, nowMs: number): ConnectionChange {
    const { state } = message;
    const isConnected = state !== 'offline';
    if (!isConnected && this.#isOfOlderSession(deviceId, message)) return null;
    const previous = this.#devices.get(deviceId);
    const session = message.session ?? null;
    const wasConnected = previous?.isConnected ?? false;
    const isSame = wasConnected && previous?.session === session;
    const sinceMs = isConnected && isSame && previous !== undefined ? previous.sinceMs : nowMs;
    this.#set(deviceId, { state, session, isConnected, isSubscribed: true, sinceMs });
    if (!isConnected) return wasConnected ? 'disconnected' : null;
    if (!wasConnected) return 'connected';
    return isSame ? null : 'taken_over';
  }

  /** Returns the content of the newest status message of the device. */
  newest(deviceId: string): DeviceConnection | undefined {
    return this.#devices.get(deviceId);
  }

  /** Records that the device cannot be commanded until its next status message. */
  notSubscribed(deviceId: string): void {
    const known = this.#devices.get(deviceId);
    if (known !== undefined) this.#devices.set(deviceId, { ...known, isSubscribed: false });
  }

  delete(deviceId: string): void {
    if (this.isConnected(deviceId)) this.#connectedCount -= 1;
    this.#devices.delete(deviceId);
  }

  clear(): void {
    this.#devices.clear();
    this.#connectedCount = 0;
  }

  #isOfOlderSession(deviceId: string, { session }: DeviceState): boolean {
    const known = this.#devices.get(deviceId);
    if (known === undefined || !known.isConnected) return false;
    return session !== undefined && known.session !== null && known.session !== session;
  }

  #set(deviceId: string, known: DeviceConnection): void {
    this.delete(deviceId);
    this.#devices.set(deviceId, known);
    if (known.isConnected) this.#connectedCount += 1;
    const [oldest] = this.#devices.keys();
    if (this.#devices.size > CONNECTED_DEVICES_MAX && oldest !== undefined) this.delete(oldest);
  }
}
