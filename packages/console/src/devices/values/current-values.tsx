import type { FleetDevice } from '@granary/contract/fleet/devices';
import { useConsole } from '../../console.ts';
import { formatMass, formatValue } from '../../format/numbers.ts';
import { Measured } from '../../parts/measured.tsx';
import { locale, texts } from '../../texts/texts.ts';
import { selectedSensors, toggled } from '../chart/selected-sensors.ts';
import { cablesOf, type ShownSensor } from '../sensors.ts';
import { CableProfile } from './cable-profile.tsx';
import './values.css';

interface Props {
  readonly device: FleetDevice;
  readonly sensors: readonly ShownSensor[];
}

/** The newest value of every sensor, with its quality and age. Pressing one shows or hides its history. */
export function CurrentValues({ device, sensors }: Props) {
  const { navigation } = useConsole();
  const { devices } = texts.value;
  const selected = selectedSensors(navigation.route.value.query, sensors);
  const { cables, single } = cablesOf(sensors);
  const select = (sensor: ShownSensor): void => navigation.filter({ sensor: toggled(selected, sensor) });
  const placeOf = (sensor: ShownSensor): number => selected.findIndex(({ id }) => id === sensor.id);
  return (
    <section class="panel device-values" aria-label={devices.currentValues}>
      <h2>{devices.currentValues}</h2>
      <ul>
        {single.map((sensor) => (
          <ValueRow
            key={sensor.id}
            sensor={sensor}
            device={device}
            place={placeOf(sensor)}
            onSelect={select}
          />
        ))}
      </ul>
      {cables.map((cable) => (
        <CableProfile key={cable.prefix} cable={cable} device={device} placeOf={placeOf} onSelect={select} />
      ))}
    </section>
  );
}

interface RowProps {
  readonly sensor: ShownSensor;
  readonly device: FleetDevice;
  /** The place of its line in the chart, or -1. */
  readonly place: number;
  readonly onSelect: (sensor: ShownSensor) => void;
}

function ValueRow({ sensor, device: { readings = {} }, place, onSelect }: RowProps) {
  const { common } = texts.value;
  const reading = readings[sensor.id];
  const shown = (value: number): string =>
    sensor.id === 'weight' ? formatMass(value, locale.value) : formatValue(value, sensor.unit, locale.value);
  return (
    <li>
      <button type="button" class="device-value" aria-pressed={place !== -1} onClick={() => onSelect(sensor)}>
        <span class={`device-swatch ${place === -1 ? '' : `series-${place + 1}`}`} aria-hidden="true" />
        <span class="device-value-name free-text">{common.sensors[sensor.id] ?? sensor.id}</span>
        <Measured
          text={reading === undefined ? null : shown(reading.value)}
          quality={reading?.quality ?? 'good'}
          at={reading?.timestamp ?? null}
          hasAge
        />
      </button>
    </li>
  );
}
