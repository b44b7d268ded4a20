import { siteZone } from '@granary/common/site-zone';
import { ownZone } from '@granary/common/time-text';
import { isTimeZone } from '@granary/common/time-zone';
import type { TimeZones } from '@granary/contract/fleet';
import { effect, type ReadonlySignal, signal } from '@preact/signals';
import type { Live } from '../live/live.ts';
import type { Route } from './routes.ts';

const viewerZone = ownZone();

/**
 * By whose clocks the page tells times: those of the site that it is about, or those of the viewer where its silos do not
 * agree and until they are known.
 */
export const pageZone = signal(viewerZone);

/** The zones that silos name, at one facility or at all of them. */
export const namedZones = ({ facilities }: TimeZones, facility: string | null): string[] => [
  ...new Set(
    facilities
      .filter((place) => facility === null || place.facility === facility)
      .flatMap(({ time_zones }) => time_zones),
  ),
];

/** `null` where silos do not agree, and where the browser does not know their zone. */
export function zoneOfPlace(zones: TimeZones, facility: string | null): string | null {
  const zone = siteZone(namedZones(zones, facility), zones.service);
  return zone !== null && isTimeZone(zone) ? zone : null;
}

/** Keeps the zone of the page that of what it shows; returns the way to end it. */
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
