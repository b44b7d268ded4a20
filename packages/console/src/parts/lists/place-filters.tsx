import { useConsole } from '../../console.ts';
import { locale, texts } from '../../texts/texts.ts';
import { SelectFilter } from './filter-bar.tsx';
import { ordered } from './table-order.ts';

export const PLACE_FILTERS = ['facility', 'device'] as const;

/** Filters by the facility and by one device, among those that the key may see. */
export function PlaceFilters() {
  const { site } = useConsole().live;
  const { table } = texts.value;
  const devices = [...site.devices.all.value.values()].map((device) => device.peek());
  const facilities = [...new Set(devices.map(({ location }) => location.facility))];
  const byName = ordered(devices, ({ name }) => name, false, locale.value);
  return (
    <>
      <SelectFilter
        name="facility"
        label={table.facility}
        any={table.anyFacility}
        options={ordered(facilities, (name) => name, false, locale.value).map((name) => [name, name])}
      />
      <SelectFilter
        name="device"
        label={table.device}
        any={table.anyDevice}
        options={byName.map(({ device_id }) => [device_id, site.devices.nameOf(device_id)])}
      />
    </>
  );
}
