import type { FleetDevice } from '@granary/contract/fleet/devices';
import { formatValue } from '../../format/numbers.ts';
import { Measured } from '../../parts/measured.tsx';
import { locale, texts } from '../../texts/texts.ts';
import { numberOf, type SensorCable, type ShownSensor } from '../sensors.ts';
import { profileLine } from './profile-line.ts';

const ROW_PX = 24;
const WIDTH_PX = 96;

interface Props {
  readonly cable: SensorCable;
  readonly device: FleetDevice;
  readonly placeOf: (sensor: ShownSensor) => number;
  readonly onSelect: (sensor: ShownSensor) => void;
}

/** The sensors of a cable as a profile over the height: the highest at the top. */
export function CableProfile({
  cable: { prefix, sensors },
  device: { readings = {} },
  placeOf,
  onSelect,
}: Props) {
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
                  aria-label={sensor.id}
                  onClick={() => onSelect(sensor)}
                >
                  <span
                    class={`device-swatch ${place === -1 ? '' : `series-${place + 1}`}`}
                    aria-hidden="true"
                  />
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
