import { areOtherClocks } from './time-text.ts';

/**
 * The time zone by whose clocks a place is told about: the one that its silos name in their configurations, or that of the
 * service where none names any. `null` where they name several.
 */
export function siteZone(named: readonly string[], ofService: string): string | null {
  const [first = ofService, ...others] = new Set(named);
  return others.length === 0 ? first : null;
}

/**
 * The zones that silos name, where the clocks of none of them are those of the service: what belongs to no silo is then told
 * by clocks that nobody there reads. Otherwise empty.
 */
export function zonesUnlikeService(named: readonly string[], ofService: string, atMs: number): string[] {
  const zones = [...new Set(named)];
  return zones.every((zone) => areOtherClocks(zone, ofService, atMs)) ? zones : [];
}
