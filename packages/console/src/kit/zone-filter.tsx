import { placeOfZone } from '@granary/common/time-text';
import { useConsole } from '../context/console.ts';
import { namedZones } from '../context/page-zone.ts';
import { texts } from '../texts.ts';
import { SelectFilter } from './filter-bar.tsx';
import { viewerZone } from './format.ts';
import { Notice } from './messages.tsx';

const NAME = 'tz';

export interface Clocks {
  /** The zones of the silos of the place, if there are several; otherwise empty. */
  readonly choices: readonly string[];
  /** The zone for requests; with `undefined` the service uses the zone that the silos have in common. */
  readonly timeZone: string | undefined;
  /** True when nothing can be shown until the person has chosen a zone. */
  readonly mustChoose: boolean;
}

/** The time zone for a place: where its silos have several, the person chooses, unless one of them is that of the viewer. */
export function useClocks(facility: string | null): Clocks {
  const { live, navigation } = useConsole();
  const zones = live.site.zones.value;
  const named = zones === null ? [] : namedZones(zones, facility);
  if (named.length < 2) return { choices: [], timeZone: undefined, mustChoose: false };
  const wanted = navigation.route.value.query.get(NAME);
  const timeZone = [wanted, viewerZone()].find((one) => one !== null && named.includes(one)) ?? undefined;
  return { choices: named, timeZone, mustChoose: timeZone === undefined };
}

/** Offers the choice of a zone where there are several. */
export function ZoneFilter({ clocks: { choices } }: { readonly clocks: Clocks }) {
  const { shifts } = texts.value;
  if (choices.length === 0) return null;
  const own = choices.find((zone) => zone === viewerZone());
  return (
    <SelectFilter
      name={NAME}
      label={shifts.clocks}
      any={own === undefined ? shifts.chooseClocks : shifts.timesOf({ place: placeOfZone(own) })}
      options={choices
        .filter((zone) => zone !== own)
        .map((zone) => [zone, shifts.timesOf({ place: placeOfZone(zone) })])}
    />
  );
}

export const ClocksWanted = ({ clocks: { choices } }: { readonly clocks: Clocks }) => (
  <Notice>{texts.value.shifts.severalClocks({ places: choices.map(placeOfZone).join(', ') })}</Notice>
);
