import type { FleetDevice } from '@granary/contract/fleet';
import type { ComponentType } from 'preact';
import type { Language } from '../texts/texts.ts';

type ForDevice = ComponentType<{ readonly device: FleetDevice }>;

export interface ProfileNames {
  /** One device, such as `Silo scale`. */
  readonly one: string;
  /** Such devices in everyday words, such as `Silos`. */
  readonly many: string;
}

/** How the devices of a profile are called and shown. */
export interface ProfileView {
  readonly names: Readonly<Record<Language, ProfileNames>>;
  /** What is drawn at the left of a tile. */
  readonly Picture: ForDevice;
  /** What stands beside it, below the name. */
  readonly Values: ForDevice;
  /** What is drawn over the whole width at the foot of a tile. */
  readonly Foot?: ForDevice;
  /** The sensors of the last line of a tile, as long as there is nothing more important to say. */
  readonly minor: readonly string[];
}
