import type { ShownSensor } from '../sensors.ts';

export const SENSORS_SHOWN_MAX = 3;

/** The colour of each series, in the order of the selection. */
export const SERIES_COLOURS = ['--series-1', '--series-2', '--series-3'] as const;

/** What a person wants to see first, where the address does not name a sensor. */
const FIRST_CHOICES = ['level', 'battery_level', 'temperature'];

/** The sensors in the address; unknown ones are left out. */
export function selectedSensors(query: URLSearchParams, sensors: readonly ShownSensor[]): ShownSensor[] {
  const named = [...new Set((query.get('sensor') ?? '').split(','))].flatMap(
    (id) => sensors.find((one) => one.id === id) ?? [],
  );
  if (named.length > 0) return named.slice(0, SENSORS_SHOWN_MAX);
  const first = FIRST_CHOICES.flatMap((id) => sensors.find((one) => one.id === id) ?? [])[0] ?? sensors[0];
  return first === undefined ? [] : [first];
}

/** One more is added as long as there is a colour for it, after that it replaces the last; the only one stays. */
export function toggled(selected: readonly ShownSensor[], sensor: ShownSensor): string {
  const ids = selected.map(({ id }) => id);
  const others = ids.filter((id) => id !== sensor.id);
  if (others.length < ids.length) return (others.length === 0 ? ids : others).join(',');
  return [...ids.slice(0, SENSORS_SHOWN_MAX - 1), sensor.id].join(',');
}
