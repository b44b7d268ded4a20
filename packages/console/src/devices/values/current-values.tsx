import { ALERT_SEVERITIES } from '@granary/contract/outline';
import { set } from '../../kit/set.ts';
import './values.css';
import type { FleetDevice } from '@granary/contract/fleet';
import type { DeviceConfiguration } from '@granary/contract/profiles/profiles';
import { HOUR_MS, MINUTE_MS } from '@granary/contract/time';
import { useComputed, useSignal } from '@preact/signals';
import { useConsole } from '../../context/console.ts';
import { formatMass, formatMinute, formatValue } from '../../kit/format.ts';
import { Measured } from '../../kit/measured.tsx';
import { useLoaded } from '../../kit/use-loaded.ts';
import { locale, nameOfCode, texts } from '../../texts.ts';
import { rangeOf, selectedSensors, toggled } from '../chart/chart-selection.ts';
import { cablesOf, numberOf, type SensorCable, type ShownSensor } from '../facts/sensors.ts';
import { isCrossed, thresholdsOf } from '../facts/thresholds.ts';
import {
  type CableHistory,
  extentOf,
  loadCableHistory,
  placeOf as placeOfTime,
  stripes,
} from './cable-history.ts';
import { profileLine } from './value-drawings.ts';

const MOST_SEVERE_FIRST = ALERT_SEVERITIES.toReversed();

const ROW_PX = 24;
const WIDTH_PX = 96;
/** The range of the chart moves on in steps of a minute. */
const STEP_MS = MINUTE_MS;

interface Props {
  readonly device: FleetDevice;
  readonly sensors: readonly ShownSensor[];
}

/** The sensors that the chart shows, and the function that shows or hides one. */
function useSelection(sensors: readonly ShownSensor[]) {
  const { navigation } = useConsole();
  const selected = selectedSensors(navigation.route.value.query, sensors);
  return {
    placeOf: (sensor: ShownSensor): number => selected.findIndex(({ id }) => id === sensor.id),
    onSelect: (sensor: ShownSensor): void => navigation.filter({ sensor: toggled(selected, sensor) }),
  };
}

/** Shows the newest value of every sensor that is not part of a cable, with its quality and age. Pressing one shows or hides its history. */
export function CurrentValues({ device, sensors }: Props) {
  const { devices } = texts.value;
  const { placeOf, onSelect } = useSelection(sensors);
  return (
    <section class="panel device-values" aria-label={devices.currentValues}>
      <h2>{devices.currentValues}</h2>
      <ul>
        {cablesOf(sensors).single.map((sensor) => (
          <ValueRow
            key={sensor.id}
            sensor={sensor}
            device={device}
            place={placeOf(sensor)}
            onSelect={onSelect}
          />
        ))}
      </ul>
    </section>
  );
}

interface CablesProps extends Props {
  /** `undefined` until the configuration was read; rules then colour the cables later. */
  readonly configuration: DeviceConfiguration | undefined;
  /** True when the line of the chart was read, which comes first. */
  readonly mayLoad: boolean;
}

/** Shows the cables of a device; most devices have none. */
export function Cables({ device, sensors, configuration, mayLoad }: CablesProps) {
  const { devices } = texts.value;
  const selection = useSelection(sensors);
  const { cables } = cablesOf(sensors);
  return cables.map((cable) => (
    <section
      key={cable.prefix}
      class="panel device-cable"
      aria-label={devices.cable({ prefix: cable.prefix })}
    >
      <CableProfile
        cable={cable}
        device={device}
        configuration={configuration}
        mayLoad={mayLoad}
        {...selection}
      />
    </section>
  ));
}

interface RowProps {
  readonly sensor: ShownSensor;
  readonly device: FleetDevice;
  /** The position of its line in the chart, or -1. */
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
        <span class="device-value-name free-text">{nameOfCode(common.sensors, sensor.id)}</span>
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

interface CableProfileProps extends Omit<CablesProps, 'sensors'> {
  readonly cable: SensorCable;
  readonly placeOf: (sensor: ShownSensor) => number;
  readonly onSelect: (sensor: ShownSensor) => void;
}

/** Shows the sensors of a cable as a profile over the height, the highest at the top, with their values over the time range of the chart. */
function CableProfile({
  cable: { prefix, sensors },
  device: { device_id, readings = {} },
  configuration,
  mayLoad,
  placeOf,
  onSelect,
}: CableProfileProps) {
  const { client, live, navigation } = useConsole();
  const { devices } = texts.value;
  const minuteMs = useComputed(() => Math.ceil(live.site.clock.nowMs.value / STEP_MS) * STEP_MS).value;
  const range = rangeOf(navigation.route.value.query, minuteMs);
  const { fromMs } = placeOfTime(range);
  const history = useLoaded(
    mayLoad ? (signal) => loadCableHistory(client, device_id, sensors, range, signal) : null,
    [device_id, fromMs, range.toMs - range.fromMs, Math.floor(range.toMs / HOUR_MS)],
  ).value;
  const extent = history === undefined ? null : extentOf(history);
  const unit = sensors[0]?.unit ?? '';
  const fromTop = sensors.toReversed();
  const values = fromTop.map(({ id }) =>
    readings[id]?.quality === 'bad' ? null : (readings[id]?.value ?? null),
  );
  const { lines, dots } = profileLine(values, { widthPx: WIDTH_PX, rowPx: ROW_PX });
  return (
    <>
      <h2 class="free-text">{devices.cable({ prefix })}</h2>
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
        {history !== undefined && extent !== null && (
          <CableMap
            history={history}
            extent={extent}
            unit={unit}
            sensors={fromTop}
            configuration={configuration}
          />
        )}
      </div>
    </>
  );
}

interface CableMapProps {
  readonly history: CableHistory;
  readonly extent: readonly [number, number];
  readonly unit: string;
  readonly sensors: readonly ShownSensor[];
  readonly configuration: DeviceConfiguration | undefined;
}

/** Shows a row for each point of a cable over the time range of the chart. The value under the pointer is written below it. */
function CableMap({ history, extent, unit, sensors, configuration }: CableMapProps) {
  const { clock } = useConsole().live.site;
  const { devices } = texts.value;
  const pointed = useSignal<readonly [row: number, column: number] | null>(null);
  const { fromMs, stepMs, columns, values } = history;
  const timeOf = (column: number): string =>
    formatMinute(fromMs + column * stepMs, clock.nowMs.peek(), locale.value);
  const shown = (value: number): string => formatValue(value, unit, locale.value);
  const [row, column] = pointed.value ?? [-1, -1];
  const sensor = sensors[row];
  const value = sensor === undefined ? undefined : values.get(sensor.id)?.[column];
  return (
    <figure class="device-cable-map">
      <div
        role="img"
        aria-label={devices.cableMap({ low: shown(extent[0]), high: shown(extent[1]) })}
        onPointerMove={({ currentTarget, clientX, clientY }) => {
          const { left, top, width } = currentTarget.getBoundingClientRect();
          const at = Math.floor(((clientX - left) / width) * columns);
          pointed.value = [Math.floor((clientY - top) / ROW_PX), Math.min(columns - 1, Math.max(0, at))];
        }}
        onPointerLeave={() => set(pointed, null)}
      >
        {sensors.map(({ id }) => (
          <div key={id} style={{ background: rowOf(id, history, extent, configuration) }} />
        ))}
      </div>
      <figcaption class="muted">
        {sensor !== undefined && value !== undefined ? (
          <span>{`${numberOf(sensor)} · ${timeOf(column)} · ${shown(value)}`}</span>
        ) : (
          <>
            <span>{timeOf(0)}</span>
            <span class="device-cable-scale">
              {shown(extent[0])}
              <span aria-hidden="true" />
              {shown(extent[1])}
            </span>
            <span>{timeOf(columns - 1)}</span>
          </>
        )}
      </figcaption>
    </figure>
  );
}

function rowOf(
  id: string,
  { values }: CableHistory,
  extent: readonly [number, number],
  configuration: DeviceConfiguration | undefined,
): string {
  const thresholds =
    configuration === undefined ? [] : thresholdsOf(configuration, id, texts.value.devices.thresholds);
  return stripes({
    row: values.get(id) ?? [],
    extent,
    severityOf: (value) =>
      MOST_SEVERE_FIRST.find((severity) =>
        thresholds.some((one) => one.severity === severity && isCrossed(one, value)),
      ),
  });
}
