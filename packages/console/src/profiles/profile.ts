import type { FleetDevice } from '@granary/contract/fleet';
import type { ComponentType } from 'preact';

type ForDevice = ComponentType<{ readonly device: FleetDevice }>;

/** How the devices of a profile are shown. */
export interface ProfileView {
  /** The picture at the left of a tile. */
  readonly Picture: ForDevice;
  /** The values beside the picture, below the name. */
  readonly Values: ForDevice;
  /** The drawing over the whole width at the foot of a tile. */
  readonly Foot?: ForDevice;
  /** The sensors in the last line of a tile, as long as there is nothing more important to show. */
  readonly minor: readonly string[];
}
