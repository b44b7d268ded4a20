import type { Connection } from '../session/connection.ts';

/**
 * The connections that have not logged in, by address. When there is no room for another one, the oldest of the address that
 * has the most of them gives way, so that nobody keeps devices out by connections that say nothing. A limit for each address
 * would keep devices out instead that come back together behind one router.
 */
export class WaitingConnections {
  readonly #byAddress = new Map<string, Set<Connection>>();

  add(connection: Connection): void {
    const { remoteAddress } = connection;
    const ofAddress = this.#byAddress.get(remoteAddress) ?? new Set();
    this.#byAddress.set(remoteAddress, ofAddress.add(connection));
  }

  delete(connection: Connection): void {
    const { remoteAddress } = connection;
    const ofAddress = this.#byAddress.get(remoteAddress);
    ofAddress?.delete(connection);
    if (ofAddress?.size === 0) this.#byAddress.delete(remoteAddress);
  }

  /** Takes the one that gives way; `undefined` if all have logged in. */
  takeOldest(): Connection | undefined {
    let most: Set<Connection> | undefined;
    for (const ofAddress of this.#byAddress.values()) {
      if (most === undefined || ofAddress.size > most.size) most = ofAddress;
    }
    const [oldest] = most ?? [];
    if (oldest !== undefined) this.delete(oldest);
    return oldest;
  }
}
