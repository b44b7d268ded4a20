import type { FleetDevice } from '@granary/contract/fleet';
import type { ComponentType } from 'preact';

type ForDevice = ComponentType<{ readonly device: FleetDevice }>;

/** How the devices of a profile are shown. */
export interface ProfileView {
  /** What is drawn at the left of a tile. */
  readonly Picture: ForDevice;
  /** What stands beside it, below the name. */
  readonly Values: ForDevice;
  /** What is drawn over the whole width at the foot of a tile. */
  readonly Foot?: ForDevice;
  /** The sensors of the last line of a tile, as long as there is nothing more important to say. */
  readonly minor: readonly string[];
}
