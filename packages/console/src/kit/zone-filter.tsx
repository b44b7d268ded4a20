import { placeOfZone } from '@granary/common/time-text';
import { useConsole } from '../context/console.ts';
import { namedZones } from '../context/page-zone.ts';
import { texts } from '../texts/texts.ts';
import { SelectFilter } from './filter-bar.tsx';
import { viewerZone } from './format.ts';
import { Notice } from './messages.tsx';

const NAME = 'tz';

export interface Clocks {
  /** The zones that silos of the place name, where they name several. */
  readonly choices: readonly string[];
  /** What the service is asked for; it takes the zone that the silos share where this is `undefined`. */
  readonly timeZone: string | undefined;
  /** Nothing can be told before the person has chosen. */
  readonly mustChoose: boolean;
}

/** By whose clocks a place is told about: where its silos do not agree, the person chooses, unless one of the zones is theirs. */
export function useClocks(facility: string | null): Clocks {
  const { live, navigation } = useConsole();
  const zones = live.site.zones.value;
  const named = zones === null ? [] : namedZones(zones, facility);
  if (named.length < 2) return { choices: [], timeZone: undefined, mustChoose: false };
  const wanted = navigation.route.value.query.get(NAME);
  const timeZone = [wanted, viewerZone()].find((one) => one !== null && named.includes(one)) ?? undefined;
  return { choices: named, timeZone, mustChoose: timeZone === undefined };
}

/** Only where there is a choice. */
export function ZoneFilter({ clocks: { choices } }: { readonly clocks: Clocks }) {
  const { shifts } = texts.value;
  if (choices.length === 0) return null;
  const own = choices.find((zone) => zone === viewerZone());
  return (
    <SelectFilter
      name={NAME}
      label={shifts.clocks}
      any={own === undefined ? shifts.chooseClocks : shifts.timesOf(placeOfZone(own))}
      options={choices
        .filter((zone) => zone !== own)
        .map((zone) => [zone, shifts.timesOf(placeOfZone(zone))])}
    />
  );
}

export const ClocksWanted = ({ clocks: { choices } }: { readonly clocks: Clocks }) => (
  <Notice>{texts.value.shifts.severalClocks(choices.map(placeOfZone).join(', '))}</Notice>
);
