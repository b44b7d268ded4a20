import type { FleetDevice } from '@granary/contract/fleet/devices';
import { formatValue } from '../../format/numbers.ts';
import { Measured } from '../../parts/measured.tsx';
import { locale, texts } from '../../texts/texts.ts';
import { numberOf, type SensorCable, type ShownSensor } from '../sensors.ts';

const MARGIN_PX = 6;

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

interface Size {
  readonly widthPx: number;
  readonly rowPx: number;
}

interface ProfileLine {
  /** As SVG writes them; a missing value ends a line. */
  readonly lines: readonly string[];
  readonly dots: readonly { readonly x: number; readonly y: number }[];
}

/** A line over the height through the values of a cable, from its lowest to its highest value. */
export function profileLine(values: readonly (number | null)[], { widthPx, rowPx }: Size): ProfileLine {
  const known = values.filter((value) => value !== null);
  const min = Math.min(...known);
  const span = Math.max(...known) - min;
  const x = (value: number): number =>
    span === 0 ? widthPx / 2 : MARGIN_PX + ((value - min) / span) * (widthPx - 2 * MARGIN_PX);
  const placed = values.map((value, row) =>
    value === null ? null : { x: Math.round(x(value) * 10) / 10, y: row * rowPx + rowPx / 2 },
  );
  const runs: { x: number; y: number }[][] = [[]];
  for (const dot of placed) {
    if (dot === null) runs.push([]);
    else runs.at(-1)?.push(dot);
  }
  return {
    lines: runs.filter((run) => run.length > 1).map((run) => run.map((dot) => `${dot.x},${dot.y}`).join(' ')),
    dots: placed.filter((dot) => dot !== null),
  };
}
