import type { FleetProcess } from '../fleet/fleet-process.ts';
import type { Database } from '../site/database.ts';
import type { Site } from '../site/site.ts';
import type { SoakNode } from '../site/soak-node.ts';

/** What a fault can use and touch. */
export interface FaultParts {
  readonly site: Site;
  readonly database: Database;
  readonly fleet: FleetProcess;
  /** Silos that nobody operates. */
  readonly idleSilos: readonly string[];
  /** The fault is over for these nodes, all unless given: measures the time until they work and have caught up. */
  recovered(nodes?: readonly SoakNode[]): Promise<void>;
  /** Makes alerts and missions due on all nodes at the same moment, and waits until the missions have begun. */
  dueTogether(): Promise<void>;
}

export interface Fault {
  /** For `--only`. */
  readonly name: string;
  /** What is done, for the report. */
  readonly description: string;
  /** The database then has a file system of its own, which only root can mount. */
  readonly needsFileSystem?: true;
  run(parts: FaultParts): Promise<void>;
}
