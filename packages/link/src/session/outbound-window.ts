const PACKET_ID_MAX = 0xffff;

/** The messages of one connection that the device has not acknowledged. They end with the connection: none is sent again. */
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

  /** The packet identifier for a further message: never one that is still unacknowledged. */
  begin(repeatKey: string | null): number {
    do this.#lastId = (this.#lastId % PACKET_ID_MAX) + 1;
    while (this.#keys.has(this.#lastId));
    this.#keys.set(this.#lastId, repeatKey);
    this.hold(repeatKey);
    return this.#lastId;
  }

  /** An identifier that is not in use is ignored: a device may acknowledge what an earlier connection sent. */
  acknowledge(packetId: number): void {
    this.release(this.#keys.get(packetId) ?? null);
    this.#keys.delete(packetId);
  }

  /** For QoS 0, which nobody acknowledges: from the write until the bytes have left the buffer. */
  hold(repeatKey: string | null): void {
    if (repeatKey !== null) this.#inFlight.add(repeatKey);
  }

  release(repeatKey: string | null): void {
    if (repeatKey !== null) this.#inFlight.delete(repeatKey);
  }
}
