import type { MissionRecord } from '@granary/contract/missions';
import type { Point } from '@granary/contract/positions';
import { type Signal, signal } from '@preact/signals';
import type { FenceDraft } from './fence-draft.ts';
import { type Draft, EMPTY_DRAFT, type LegFaults } from './mission-draft.ts';

/** What the panel beside the map draws on it. */
export interface MapContents {
  readonly draft: Signal<Draft>;
  readonly faults: Signal<LegFaults | null>;
  readonly base: Signal<Point | null>;
  readonly mission: Signal<MissionRecord | null>;
  /** `null` while no geofence is edited. */
  readonly fence: Signal<FenceDraft | null>;
}

export const emptyContents = (): MapContents => ({
  draft: signal(EMPTY_DRAFT),
  faults: signal(null),
  base: signal(null),
  mission: signal(null),
  fence: signal(null),
});
