import { INTERVAL_MS } from '@granary/contract/telemetry/telemetry';
import type { ReadonlySignal } from '@preact/signals';
import { useConsole } from '../../console.ts';
import { formatValue } from '../../format/numbers.ts';
import { formatTime, utcTime } from '../../format/times.ts';
import { operationTitle } from '../../operations/operation-texts.ts';
import { SeverityMark } from '../../parts/severity-mark.tsx';
import { locale, texts } from '../../texts/texts.ts';
import type { ShownSensor } from '../sensors.ts';
import type { SensorHistory } from './load-history.ts';
import type { ChartMarks } from './load-marks.ts';
import type { PlotContents } from './plot-contents.ts';

interface Props {
  readonly selected: readonly ShownSensor[];
  readonly histories: readonly SensorHistory[];
  readonly contents: PlotContents;
  readonly marks: ChartMarks;
  readonly cursor: ReadonlySignal<number | null>;
}

/** How far from the cursor, as a share of the range, an alert is still read out. */
const NEAR_SHARE = 0.01;

/** The values under the cursor, and what happened at that time. Without a cursor, which line is which sensor. */
export function ChartReadout({ selected, histories, contents, marks, cursor }: Props) {
  const { live } = useConsole();
  const { common, operations, devices } = texts.value;
  const index = cursor.value;
  const { table, fromMs, toMs } = contents;
  const seconds = index === null ? undefined : table.times[index];
  const atMs = seconds === undefined ? null : seconds * 1_000;
  const near = (toMs - fromMs) * NEAR_SHARE;
  const bucketStart = (sensorIndex: number): number =>
    (atMs ?? 0) - INTERVAL_MS[histories[sensorIndex]?.interval ?? '5m'] / 2;
  const value = (column: number, part: 0 | 1 | 2, unit: string): string | null => {
    const found = index === null ? null : table.columns[column]?.[part][index];
    return found === null || found === undefined ? null : formatValue(found, unit, locale.value);
  };
  return (
    <div class="device-readout">
      <dl>
        {selected.map(({ id, unit }, place) => {
          const mean = value(place, 0, unit);
          const [min, max] = [value(place, 1, unit), value(place, 2, unit)];
          return (
            <div key={id}>
              <dt>
                <span class={`device-swatch series-${place + 1}`} aria-hidden="true" />
                <span class="free-text">{common.sensors[id] ?? id}</span>
              </dt>
              <dd>
                {mean !== null && <strong>{mean}</strong>}
                {min !== max && <span class="muted"> {`${min} – ${max}`}</span>}
              </dd>
            </div>
          );
        })}
      </dl>
      <p class="device-readout-events">
        {atMs === null ? (
          <span class="muted">{devices.chartHint}</span>
        ) : (
          <time title={utcTime(atMs)}>
            {formatTime(bucketStart(0), live.site.clock.nowMs.peek(), locale.value)}
          </time>
        )}
        {atMs !== null &&
          marks.operations
            .filter(
              ({ started_at, ended_at }) =>
                Date.parse(started_at) - near <= atMs &&
                atMs <= (ended_at === null ? toMs : Date.parse(ended_at) + near),
            )
            .slice(0, 2)
            .map((operation) => (
              <span key={operation.operation_id} class="free-text">
                {operationTitle(operation, operations, locale.value)}
              </span>
            ))}
        {atMs !== null &&
          marks.alerts
            .filter(({ created_at }) => Math.abs(Date.parse(created_at) - atMs) <= near)
            .slice(0, 2)
            .map(({ alert_id, severity, message }) => (
              <span key={alert_id} class="device-readout-alert">
                <SeverityMark severity={severity} /> <span class="free-text">{message}</span>
              </span>
            ))}
      </p>
    </div>
  );
}
