/** Says which one of several nodes takes the messages of devices from the broker. */
export interface CollectorTurn {
  /** True only while this node knows that it is its turn. */
  readonly isOwn: boolean;

  /**
   * Decides anew, and it is not the turn of this node before that. Called when the node reaches the broker or does not any more, and
   * when it has lost the session, perhaps to another node. Resolves in any case.
   */
  ask(reachesBroker: boolean): Promise<void>;
}

/** Of a service that has one node. */
export const ALWAYS_OWN: CollectorTurn = { isOwn: true, ask: () => Promise.resolve() };
