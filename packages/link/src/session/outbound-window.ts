const PACKET_ID_MAX = 0xffff;

/** The unacknowledged messages of one connection; they are dropped with it, and none is sent again. */
export class OutboundWindow {
  readonly #keys = new Map<number, string | null>();
  readonly #inFlight = new Set<string>();
  #lastId = 0;

  get size(): number {
    return this.#keys.size;
  }

  isInFlight(repeatKey: string | null): boolean {
    return repeatKey !== null && this.#inFlight.has(repeatKey);
  }

  /** Returns a packet identifier that no unacknowledged message uses. */
  begin(repeatKey: string | null): number {
    do this.#lastId = (this.#lastId % PACKET_ID_MAX) + 1;
    while (this.#keys.has(this.#lastId));
    this.#keys.set(this.#lastId, repeatKey);
    this.hold(repeatKey);
    return this.#lastId;
  }

  /** Ignores an unused identifier, because a device may acknowledge a message of an earlier connection. */
  acknowledge(packetId: number): void {
    this.release(this.#keys.get(packetId) ?? null);
    this.#keys.delete(packetId);
  }

  /** A QoS 0 message has no acknowledgement, so it counts as in flight until its bytes have left the buffer. */
  hold(repeatKey: string | null): void {
    if (repeatKey !== null) this.#inFlight.add(repeatKey);
  }

  release(repeatKey: string | null): void {
    if (repeatKey !== null) this.#inFlight.delete(repeatKey);
  }
}
