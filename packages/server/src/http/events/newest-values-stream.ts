import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DeviceValues, FleetDevice } from '@granary/contract/fleet';
import { toIso } from '@granary/contract/time';
import { canAccess, type Limits, type Place } from '@granary/core/keys';
import { StreamConnection } from './stream-connection.ts';

const MESSAGE_DEVICES_MAX = 200;
/** A device may have many sensors, so that its number alone does not limit a message. */
const MESSAGE_CHARS_MAX = 128 * 1024;
const HEARTBEAT = ': heartbeat\n\n';

interface ShownDevice extends Place {
  readonly lastSeen: string | null;
  /** The values as JSON, which is made once for all readers. */
  readonly text: string;
}

/** The devices that readers see, each with its newest values. */
export class ShownDevices {
  readonly #devices = new Map<string, ShownDevice>();

  get size(): number {
    return this.#devices.size;
  }

  ids(): IterableIterator<string> {
    return this.#devices.keys();
  }

  get(deviceId: string): ShownDevice | undefined {
    return this.#devices.get(deviceId);
  }

  /** Returns whether anything has changed that a reader sees. */
  put(device: FleetDevice): boolean {
    const { device_id: deviceId, status, last_seen: lastSeen, readings = {} } = device;
    const values: DeviceValues = { device_id: deviceId, status, last_seen: lastSeen, readings };
    const text = JSON.stringify(values);
    const isChanged = this.#devices.get(deviceId)?.text !== text;
    this.#devices.set(deviceId, { deviceId, facility: device.location.facility, lastSeen, text });
    return isChanged;
  }

  remove(deviceId: string): void {
    this.#devices.delete(deviceId);
  }

  clear(): void {
    this.#devices.clear();
  }
}

/** The devices that a reader asks for and that its key may access. */
export interface ShownSelection {
  readonly limits: Limits;
  readonly facility: string | null;
}

interface StreamParts {
  readonly selection: ShownSelection;
  readonly shown: ShownDevices;
  readonly now: () => number;
}

/**
 * One reader of newest values. For a slow reader only the ids of changed devices are kept, and it gets their values of the time at which
 * it reads again.
 */
export class NewestValuesStream extends StreamConnection {
  readonly selection: ShownSelection;
  /** Streams with the same key show the same devices. */
  readonly selectionKey: string;
  /** Whether every device of the selection was offered. */
  isFilled = false;
  readonly #parts: StreamParts;
  readonly #unsent = new Set<string>();
  #isSending = false;
  #hasSent = false;

  constructor(response: ServerResponse, parts: StreamParts) {
    super(response);
    this.#parts = parts;
    this.selection = parts.selection;
    this.selectionKey = JSON.stringify(parts.selection);
  }

  selects(place: Place): boolean {
    const { limits, facility } = this.selection;
    return (facility === null || facility === place.facility) && canAccess(limits, place);
  }

  offer(deviceId: string): void {
    this.#unsent.add(deviceId);
  }

  /**
   * Sends the offered devices in parts, each when the reader has read the one before. The first message is sent even if it is empty,
   * so that a reader that may see no device knows it.
   */
  async send(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    try {
      while ((this.#unsent.size > 0 || !this.#hasSent) && !this.isClosed) {
        const texts = this.#takeTexts();
        if (texts.length > 0 || !this.#hasSent) this.say(this.#message(texts));
        this.#hasSent = true;
        await this.drained();
        await nextTurn();
      }
    } finally {
      this.#isSending = false;
    }
  }

  /** Sends a heartbeat. While the reader has not read the last message yet, that message shows whether it still reads. */
  beat(): void {
    if (!this.#isSending) this.say(HEARTBEAT);
  }

  #takeTexts(): string[] {
    const texts: string[] = [];
    let chars = 0;
    for (const deviceId of this.#unsent) {
      this.#unsent.delete(deviceId);
      const device = this.#parts.shown.get(deviceId);
      // The device was removed, or moved to a facility that the key may not see.
      if (device === undefined || !this.selects(device)) continue;
      texts.push(device.text);
      chars += device.text.length;
      if (texts.length === MESSAGE_DEVICES_MAX || chars >= MESSAGE_CHARS_MAX) break;
    }
    return texts;
  }

  #message(texts: readonly string[]): string {
    return `event: readings\ndata: {"at":"${toIso(this.#parts.now())}","devices":[${texts.join(',')}]}\n\n`;
  }
}
