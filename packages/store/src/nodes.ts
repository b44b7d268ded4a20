import type { ClockSample } from '@granary/core/nodes/clock-offset';
import type { NodeRecord } from '@granary/core/nodes/live-nodes';

/** A node whose last sign of life, by the clock of the database, is older than this counts as ended. */
export const LIVE_MS = 5_000;

/** A node that starts. The database adds the times. */
export interface NewNode extends Pick<NodeRecord, 'nodeId' | 'host' | 'broker' | 'version' | 'presetHash'> {
  /** The data folder, which one process uses at a time: an earlier node with it, on the same host, has ended. */
  readonly folderId: string;
}

export interface NodesNow {
  readonly own: NodeRecord;
  /** The other nodes that are alive. */
  readonly others: readonly NodeRecord[];
}

/** The nodes that share a database, and the clock that they share. */
export interface NodeTable {
  /** Enters the node, unless nodes live that `conflicting` names: these are returned. */
  join(node: NewNode, conflicting: (others: readonly NodeRecord[]) => NodeRecord[]): Promise<NodeRecord[]>;
  /** The node lives, and reaches the external broker or not. */
  beat(node: NewNode, reachesBroker: boolean): Promise<NodesNow>;
  leave(nodeId: string): Promise<void>;
  /** `monotonicMs` never goes back and is not set by anybody. */
  askTime(monotonicMs: () => number): Promise<ClockSample>;
}
