import { siteZone } from '@granary/common/site-zone';
import { ownZone } from '@granary/common/time-text';
import { isTimeZone } from '@granary/common/time-zone';
import type { TimeZones } from '@granary/contract/fleet';
import { effect, type ReadonlySignal, signal } from '@preact/signals';
import type { Live } from '../live/live.ts';
import type { Route } from './routes.ts';

const viewerZone = ownZone();

/**
 * The time zone in which the page writes times: that of the site that it is about, or that of the viewer until the zones are known and
 * where the silos of the site have several.
 */
export const pageZone = signal(viewerZone);

/** The zones that silos have set, at one facility or at all of them. */
export const namedZones = ({ facilities }: TimeZones, facility: string | null): string[] => [
  ...new Set(
    facilities
      .filter((place) => facility === null || place.facility === facility)
      .flatMap(({ time_zones }) => time_zones),
  ),
];

/** The zone of a place; `null` where its silos have several, and where the browser does not know their zone. */
export function zoneOfPlace(zones: TimeZones, facility: string | null): string | null {
  const zone = siteZone(namedZones(zones, facility), zones.service);
  return zone !== null && isTimeZone(zone) ? zone : null;
}

/** Sets the zone of the page to that of what it shows; returns the function that ends this. */
export function followZone(
  { site }: Pick<Live, 'site'>,
  { route }: { readonly route: ReadonlySignal<Route> },
): () => void {
  return effect(() => {
    const { view, id, query } = route.value;
    const deviceId = view === 'devices' ? id : query.get('device');
    const device = deviceId === null ? undefined : site.devices.described(deviceId);
    const facility = device?.location.facility ?? (query.get('facility') || null);
    const zones = site.zones.value;
    pageZone.value = (zones && zoneOfPlace(zones, facility)) ?? viewerZone;
  });
}
