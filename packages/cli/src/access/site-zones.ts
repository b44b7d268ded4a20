import { ApiError, type Client } from '@granary/client';
import { siteZone } from '@granary/common/site-zone';
import { ownZone } from '@granary/common/time-text';

/** The time zone for output about a facility; that of the terminal if its silos have several. */
export type ZoneOfFacility = (facility: string | undefined) => string;

export async function zonesOfFacilities(client: {
  readonly fleet: Pick<Client['fleet'], 'timeZones'>;
}): Promise<ZoneOfFacility> {
  try {
    const { service, facilities } = await client.fleet.timeZones();
    const named = new Map(facilities.map(({ facility, time_zones }) => [facility, time_zones]));
    return (facility) => siteZone(named.get(facility ?? '') ?? [], service) ?? ownZone();
  } catch (failure) {
    // An older service does not have this endpoint.
    if (failure instanceof ApiError && failure.status === 404) return ownZone;
    throw failure;
  }
}
