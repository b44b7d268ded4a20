import './values.css';
import type { FleetDevice } from '@granary/contract/fleet';
import { useConsole } from '../../context/console.ts';
import { formatMass, formatValue } from '../../kit/format.ts';
import { Measured } from '../../kit/measured.tsx';
import { locale, texts } from '../../texts/texts.ts';
import { selectedSensors, toggled } from '../chart/chart-selection.ts';
import { cablesOf, numberOf, type SensorCable, type ShownSensor } from '../facts/sensors.ts';
import { profileLine } from './value-drawings.ts';

const ROW_PX = 24;
const WIDTH_PX = 96;

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

function ValueRow({ sensor, device: { device_id, readings = {} }, place, onSelect }: RowProps) {
  const { common } = texts.value;
  const reading = readings[sensor.id];
  const shown = (value: number): string =>
    sensor.id === 'weight'
      ? formatMass(value, locale.value, device_id)
      : formatValue(value, sensor.unit, locale.value, device_id);
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

interface CableProfileProps {
  readonly cable: SensorCable;
  readonly device: FleetDevice;
  readonly placeOf: (sensor: ShownSensor) => number;
  readonly onSelect: (sensor: ShownSensor) => void;
}

/** The sensors of a cable as a profile over the height: the highest at the top. */
function CableProfile({
  cable: { prefix, sensors },
  device: { readings = {} },
  placeOf,
  onSelect,
}: CableProfileProps) {
  const { devices } = texts.value;
  const fromTop = sensors.toReversed();
  const values = fromTop.map(({ id }) =>
    readings[id]?.quality === 'bad' ? null : (readings[id]?.value ?? null),
  );
  const { lines, dots } = profileLine(values, { widthPx: WIDTH_PX, rowPx: ROW_PX });
  return (
    <div class="device-cable">
      <h3 class="free-text">{devices.cable(prefix)}</h3>
      <div class="device-cable-rows">
        <svg width={WIDTH_PX} height={ROW_PX * fromTop.length} aria-hidden="true">
          {lines.map((points) => (
            <polyline key={points} points={points} />
          ))}
          {dots.map(({ x, y }) => (
            <circle key={y} cx={x} cy={y} r="3" />
          ))}
        </svg>
        <ol>
          {fromTop.map((sensor) => {
            const reading = readings[sensor.id];
            const place = placeOf(sensor);
            return (
              <li key={sensor.id}>
                <button
                  type="button"
                  class="device-value"
                  aria-pressed={place !== -1}
                  onClick={() => onSelect(sensor)}
                >
                  <span
                    class={`device-swatch ${place === -1 ? '' : `series-${place + 1}`}`}
                    aria-hidden="true"
                  />
                  <span class="only-for-readers">{sensor.id}</span>
                  <span class="device-value-name muted">{numberOf(sensor)}</span>
                  <Measured
                    text={
                      reading === undefined ? null : formatValue(reading.value, sensor.unit, locale.value)
                    }
                    quality={reading?.quality ?? 'good'}
                    at={reading?.timestamp ?? null}
                  />
                </button>
              </li>
            );
          })}
        </ol>
      </div>
    </div>
  );
}
