/**
 * The time zone by whose clocks a place is told about: the one that its silos name in their configurations, or that of the
 * service where none names any. `null` where they name several.
 */
export function siteZone(named: readonly string[], ofService: string): string | null {
  const [first = ofService, ...others] = new Set(named);
  return others.length === 0 ? first : null;
}
