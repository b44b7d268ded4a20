import { INTERVAL_MS } from '@granary/contract/outline';
import { effect, type ReadonlySignal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useConsole } from '../../context/console.ts';
import { pageZone } from '../../context/page-zone.ts';
import { formatValue, utcTime } from '../../kit/format.ts';
import { messageText, timeText } from '../../kit/sentences.ts';
import { SeverityMark } from '../../kit/severity-mark.tsx';
import { operationTitle } from '../../operations/jobs.ts';
import { locale, nameOfCode, texts } from '../../texts.ts';
import { lineKey, type ShownSensor } from '../facts/sensors.ts';
import type { ChartMarks, SensorHistory } from './chart-data.ts';
import { moved, type TimeRange, zoomed } from './chart-selection.ts';
import { openPlot } from './plot.ts';
import type { Plot, PlotContents, PlotCursor, PlottedSensor } from './plot-contents.ts';

/** The distance from the cursor, as a share of the range, at which an alert is still shown in the readout. */
const NEAR_SHARE = 0.01;

const WHEEL_ZOOM = 0.0025;
const DOUBLE_PRESS_ZOOM = 2;

interface Props {
  readonly label: string;
  readonly sensors: readonly PlottedSensor[];
  readonly contents: PlotContents;
  /** The data that is being read, in words; `null` when it has arrived. */
  readonly reading: string | null;
  readonly range: () => TimeRange;
  readonly onRange: (range: TimeRange) => void;
  readonly onWidth: (px: number) => void;
  readonly onCursor: (cursor: PlotCursor | null) => void;
  readonly children: ComponentChildren;
  readonly onKey: (event: KeyboardEvent) => void;
}

/** The place in which the chart is drawn. */
export function PlotPlace({
  label,
  sensors,
  contents,
  reading,
  range,
  onRange,
  onWidth,
  onCursor,
  onKey,
  children,
}: Props) {
  const { live, preferences } = useConsole();
  const place = useRef<HTMLDivElement>(null);
  const plot = useSignal<Plot | null>(null);
  const newest = useRef({ range, onRange });
  newest.current = { range, onRange };

  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => {
      onWidth(element.clientWidth);
      plot.peek()?.resize(element.clientWidth, element.clientHeight);
    });
    observer.observe(element);
    const onSelect = (fromMs: number, toMs: number): void =>
      newest.current.onRange({ fromMs, toMs, preset: null });
    const height = element.clientHeight;
    const opened = openPlot(element, { sensors, language: locale.peek(), height, onSelect, onCursor });
    followGestures({
      plot: opened,
      range: () => newest.current.range(),
      nowMs: () => live.site.clock.nowMs.peek(),
      onRange: (next) => newest.current.onRange(next),
    });
    plot.value = opened;
    return () => {
      observer.disconnect();
      opened.close();
    };
  }, []);

  useEffect(() => plot.value?.show(contents), [plot.value, contents]);

  useEffect(() => {
    const redraw = (): void => plot.peek()?.redraw();
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', redraw);
    const unfollow = effect(() => {
      preferences.theme.value;
      pageZone.value;
      queueMicrotask(redraw);
    });
    return () => {
      scheme.removeEventListener('change', redraw);
      unfollow();
    };
  }, []);

  return (
    <div class="device-plot-frame">
      <div
        ref={place}
        class="device-plot"
        role="application"
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys move the time of the chart
        tabIndex={0}
        onKeyDown={onKey}
      />
      {reading !== null && (
        <div class="device-plot-reading" role="status">
          <p>{reading}</p>
        </div>
      )}
      {children}
    </div>
  );
}

interface Options {
  readonly plot: Plot;
  readonly range: () => TimeRange;
  readonly nowMs: () => number;
  readonly onRange: (range: TimeRange) => void;
}

/**
 * Moves the time with one finger and zooms with two. The wheel zooms while the chart has the focus, so that the page can still be
 * scrolled over the chart, or together with Ctrl, which a touchpad sends for a pinch. A double press shows twice the time.
 */
function followGestures({ plot, range, nowMs, onRange }: Options): void {
  const { over } = plot;
  const hasFocus = (): boolean => over.closest(':focus') !== null;
  over.style.touchAction = 'pan-y';
  over.addEventListener(
    'wheel',
    (event) => {
      if (event.ctrlKey || (hasFocus() && Math.abs(event.deltaY) > Math.abs(event.deltaX))) {
        event.preventDefault();
        onRange(zoomed(range(), Math.exp(event.deltaY * WHEEL_ZOOM), plot.timeAt(event.clientX), nowMs()));
      } else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        event.preventDefault();
        onRange(moved(range(), event.deltaX / over.clientWidth, nowMs()));
      }
    },
    { passive: false },
  );
  over.addEventListener('dblclick', ({ clientX }) =>
    onRange(zoomed(range(), DOUBLE_PRESS_ZOOM, plot.timeAt(clientX), nowMs())),
  );
  const fingers = new Map<number, number>();
  over.addEventListener('pointerdown', ({ pointerId, pointerType, clientX }) => {
    if (pointerType === 'touch') fingers.set(pointerId, clientX);
  });
  over.addEventListener('pointermove', ({ pointerId, clientX }) => {
    const before = fingers.get(pointerId);
    if (before === undefined) return;
    const other = [...fingers].find(([id]) => id !== pointerId)?.[1];
    fingers.set(pointerId, clientX);
    if (other === undefined) onRange(moved(range(), (before - clientX) / over.clientWidth, nowMs()));
    else {
      const factor = Math.max(20, Math.abs(before - other)) / Math.max(20, Math.abs(clientX - other));
      onRange(zoomed(range(), factor, plot.timeAt((clientX + other) / 2), nowMs()));
    }
  });
  for (const name of ['pointerup', 'pointercancel', 'pointerleave'] as const) {
    over.addEventListener(name, ({ pointerId }) => fingers.delete(pointerId));
  }
}

interface ChartReadoutProps {
  readonly selected: readonly ShownSensor[];
  readonly histories: readonly SensorHistory[];
  readonly contents: PlotContents;
  readonly marks: ChartMarks;
  readonly cursor: ReadonlySignal<PlotCursor | null>;
}

/** The name of a line: its sensor, with the device where it is another one. */
export const lineName = ({ id, compared }: ShownSensor): string =>
  [nameOfCode(texts.value.common.sensors, id), ...(compared === undefined ? [] : [compared.name])].join(
    ' · ',
  );

interface ChartLegendProps extends Pick<ChartReadoutProps, 'selected'> {
  readonly hasUsual: boolean;
}

/** Shows which line belongs to which sensor. */
export const ChartLegend = ({ selected, hasUsual }: ChartLegendProps) => (
  <p class="device-legend">
    {selected.map((sensor, place) => (
      <span key={lineKey(sensor)}>
        <span class={`device-swatch series-${place + 1}`} aria-hidden="true" />
        <span class="free-text">{lineName(sensor)}</span>
      </span>
    ))}
    {hasUsual && (
      <span>
        <span class="device-swatch usual" aria-hidden="true" />
        {texts.value.devices.usualLegend}
      </span>
    )}
  </p>
);

/** Shows beside the cursor the values under it, and the events at that time. */
export function ChartReadout({ selected, histories, contents, marks, cursor }: ChartReadoutProps) {
  const { live } = useConsole();
  const { index, leftPx } = cursor.value ?? { index: null, leftPx: 0 };
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
  if (atMs === null) return null;
  return (
    <div class="device-readout" style={{ '--left': `${leftPx}px` }}>
      <time title={utcTime(atMs)}>{timeText(bucketStart(0), live.site.clock.nowMs.peek())}</time>
      <dl>
        {selected.map((sensor, place) => {
          const { unit } = sensor;
          const mean = value(place, 0, unit);
          const [min, max] = [value(place, 1, unit), value(place, 2, unit)];
          return (
            <div key={lineKey(sensor)}>
              <dt>
                <span class={`device-swatch series-${place + 1}`} aria-hidden="true" />
                <span class="free-text">{lineName(sensor)}</span>
              </dt>
              <dd>
                {mean !== null && <strong>{mean}</strong>}
                {min !== max && <span class="muted"> {`${min} – ${max}`}</span>}
              </dd>
            </div>
          );
        })}
      </dl>
      {marks.operations
        .filter(
          ({ started_at, ended_at }) =>
            Date.parse(started_at) - near <= atMs &&
            atMs <= (ended_at === null ? toMs : Date.parse(ended_at) + near),
        )
        .slice(0, 2)
        .map((operation) => (
          <p key={operation.operation_id} class="free-text">
            {operationTitle(operation)}
          </p>
        ))}
      {marks.alerts
        .filter(({ created_at }) => Math.abs(Date.parse(created_at) - atMs) <= near)
        .slice(0, 2)
        .map((alert) => (
          <p key={alert.alert_id}>
            <SeverityMark severity={alert.severity} text="" />{' '}
            <span class="free-text">{messageText(alert)}</span>
          </p>
        ))}
      {marks.notes
        .filter(({ at }) => Math.abs(Date.parse(at) - atMs) <= near)
        .slice(0, 2)
        .map(({ note_id, text }) => (
          <p key={note_id} class="free-text">
            {text}
          </p>
        ))}
    </div>
  );
}
