import { areOtherClocks } from './time-text.ts';

/**
 * Returns the time zone in which times of a place are shown: the one that its silos name in their configurations, or that of
 * the service if none names any; `null` if they name several.
 */
export function siteZone(named: readonly string[], ofService: string): string | null {
  const [first = ofService, ...others] = new Set(named);
  return others.length === 0 ? first : null;
}

/**
 * Returns the zones that silos name, if the clocks of the service differ from all of them; otherwise an empty list. Then times
 * that belong to no silo are shown in a zone that no silo uses.
 */
export function zonesUnlikeService(named: readonly string[], ofService: string, atMs: number): string[] {
  const zones = [...new Set(named)];
  return zones.every((zone) => areOtherClocks(zone, ofService, atMs)) ? zones : [];
}
