/** Decides which one of several nodes takes the messages of devices from the broker. */
export interface CollectorTurn {
  /** True only while this node knows that it is its turn. */
  readonly isOwn: boolean;

  /**
   * Decides again; until then this node does not have the turn. It is called when the node begins or ceases to reach the
   * broker, and when it has lost the session, perhaps to another node. Resolves in any case.
   */
  ask(reachesBroker: boolean): Promise<void>;
}

/** The turn of a service with one node. */
export const ALWAYS_OWN: CollectorTurn = { isOwn: true, ask: () => Promise.resolve() };
