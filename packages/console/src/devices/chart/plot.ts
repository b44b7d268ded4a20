import { ALERT_SEVERITIES } from '@granary/contract/outline';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { timeAs } from '@granary/common/time-text';
import { localMs } from '@granary/common/time-zone';
import type { AlertSeverity } from '@granary/contract/alerts';
import { DAY_MS } from '@granary/contract/time';
import { pageZone } from '../../context/page-zone.ts';
import { formatNumber, unitSymbol } from '../../kit/format.ts';
import {
  type Plot,
  type PlotContents,
  type PlotOptions,
  type PlottedBar,
  placedNames,
} from './plot-contents.ts';
import { isolatedIndexes } from './series.ts';

const BAR_HEIGHT = 6;
/** The height of the bars of operations with their names above them. */
const LANE_HEIGHT = 22;
const BAR_WIDTH_MIN = 3;
const MARK_SIZE = 10;
const LABEL_FONT_PX = 12;
const DAY_S = 86_400;
const BAND_OPACITY = '20%';
const FONT = '"Inter Variable", system-ui, sans-serif';
const AXIS_FONT = `12px ${FONT}`;
/** The room above and below the values, as a share of their span. */
const PADDING = 0.08;
/** The smallest span of the scale, so that the noise of a steady value does not look like a change. */
const SPAN_SHARE_MIN = 0.03;
const SPAN_MIN = 0.1;

/** Draws means as lines over the bands from minimum to maximum; sensors of the same unit share a scale. */
export function openPlot(place: HTMLElement, options: PlotOptions): Plot {
  const { sensors, language, height, onSelect, onCursor } = options;
  let contents: PlotContents | null = null;
  const units = [...new Set(sensors.map(({ unit }) => unit))];
  const { colour, paleColour, forget } = coloursAt(place);
  const mean = (index: number): number => 1 + index * 3;
  const plot = new uPlot(
    {
      width: place.clientWidth,
      height,
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), pageZone.peek()),
      legend: { show: false },
      padding: [8, units.length > 1 ? 0 : 20, 0, 0],
      cursor: { drag: { x: true, y: false, setScale: false }, y: false, points: { size: 7 } },
      scales: {
        x: { time: true, range: () => [(contents?.fromMs ?? 0) / 1_000, (contents?.toMs ?? 1) / 1_000] },
        ...Object.fromEntries(
          units.map((unit) => [
            unit,
            {
              range: (_: uPlot, min: number | null, max: number | null) =>
                sensors.some((sensor) => sensor.unit === unit && sensor.isShare)
                  ? [0, 100]
                  : padded(min, max, unit, contents, unit === units[0]),
            } as uPlot.Scale,
          ]),
        ),
      },
      axes: [
        timeAxis(colour, language),
        ...units.map((unit, index) => valueAxis(unit, index, colour, language)),
      ],
      series: [{}, ...sensors.flatMap(({ unit, colour: name }) => linesOf(unit, () => colour(name)))],
      bands: sensors.map(({ colour: name }, index) => ({
        series: [mean(index) + 2, mean(index) + 1],
        fill: () => paleColour(name),
      })),
      hooks: {
        drawAxes: [(u) => contents !== null && drawBehind(u, contents, units[0] ?? '', colour)],
        draw: [(u) => contents !== null && drawBefore(u, contents, colour)],
        setCursor: [
          ({ cursor: { idx = null, left = 0 }, over }) =>
            onCursor(idx === null || left < 0 ? null : { index: idx, leftPx: over.offsetLeft + left }),
        ],
        setSelect: [(u) => takeSelection(u, onSelect)],
      },
    },
    [[]],
    place,
  );

  return {
    over: plot.over,
    show: (next) => {
      contents = next;
      const { times, columns } = next.table;
      plot.setData([
        [...times],
        ...columns.flatMap((column) => column.map((values) => [...values])),
      ] as uPlot.AlignedData);
    },
    resize: (width, nextHeight) => plot.setSize({ width, height: nextHeight }),
    redraw: () => {
      forget();
      plot.redraw(true, true);
    },
    timeAt: (clientX) => plot.posToVal(clientX - plot.over.getBoundingClientRect().left, 'x') * 1_000,
    close: () => plot.destroy(),
  };
}

/** A selection of a few pixels is a press, and not a range. */
function takeSelection(u: uPlot, onSelect: PlotOptions['onSelect']): void {
  const { left, width } = u.select;
  if (width < 4) return;
  onSelect(u.posToVal(left, 'x') * 1_000, u.posToVal(left + width, 'x') * 1_000);
  u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
}

function timeAxis(colour: Colour, language: string): uPlot.Axis {
  return {
    stroke: () => colour('--muted'),
    font: AXIS_FONT,
    grid: { stroke: () => colour('--border'), width: 1 },
    ticks: { show: false },
    values: (_, splits, __, ___, incr) => timeLabels(splits, incr, language),
    space: 72,
    size: 32,
  };
}

/** The axis of a unit: the first one at the left with a grid, the second one at the right; for more there is no room. */
function valueAxis(unit: string, index: number, colour: Colour, language: string): uPlot.Axis {
  return {
    scale: unit,
    side: index === 0 ? 3 : 1,
    stroke: () => colour('--muted'),
    font: AXIS_FONT,
    grid: { show: index === 0, stroke: () => colour('--border'), width: 1 },
    ticks: { show: false },
    values: (_, splits, __, ___, incr) => valueLabels(splits, incr, unit, language),
    size: 64,
    space: 44,
    show: index < 2,
  };
}

/** The mean of a sensor as a line, then its minimum and its maximum, between which the band is drawn. */
function linesOf(unit: string, colour: () => string): uPlot.Series[] {
  const edge = { scale: unit, width: 0, points: { show: false } };
  const points: uPlot.Series.Points = {
    show: true,
    size: 5,
    fill: colour,
    filter: (u, index) => isolatedIndexes(u.data[index] as number[]),
  };
  return [{ scale: unit, stroke: colour, width: 2, points }, edge, { ...edge }];
}

/** The range of a scale: the measured and the usual values with room around them, and the thresholds near them. */
function padded(
  lowest: number | null,
  highest: number | null,
  unit: string,
  contents: PlotContents | null,
  hasUsual: boolean,
): [number, number] {
  if (lowest === null || highest === null) return [0, 1];
  const usual = hasUsual ? (contents?.usual ?? []) : [];
  const min = Math.min(lowest, ...usual.map((point) => point.min));
  const max = Math.max(highest, ...usual.map((point) => point.max));
  const span = Math.max(max - min, Math.abs(max) * SPAN_SHARE_MIN, SPAN_MIN);
  const near = (contents?.thresholds ?? [])
    .filter((threshold) => threshold.unit === unit)
    .map(({ value }) => value)
    .filter((value) => value > min - span && value < max + span);
  const room = span * PADDING + (span - (max - min)) / 2;
  return [Math.min(min - room, ...near), Math.max(max + room, ...near)];
}

/** The colours of the theme in a form that a canvas accepts: a token has one colour for each theme. */
function coloursAt(place: HTMLElement) {
  const sample = place.appendChild(document.createElement('span'));
  // The colours are cached, because asking for one makes the browser compute the styles of the page.
  const known = new Map<string, string>();
  const resolved = (colour: string): string => {
    const cached = known.get(colour);
    if (cached !== undefined) return cached;
    sample.style.color = colour;
    const computed = getComputedStyle(sample).color;
    known.set(colour, computed);
    return computed;
  };
  return {
    forget: () => known.clear(),
    colour: (name: string): string => resolved(`var(${name})`),
    paleColour: (name: string): string =>
      resolved(`color-mix(in srgb, var(${name}) ${BAND_OPACITY}, transparent)`),
  };
}

/** The labels of the time axis in the time zone of the page; the date at the beginning of a day. */
function timeLabels(splits: readonly number[], stepS: number, language: string): string[] {
  const zone = pageZone.peek();
  const date = dateForm(stepS);
  return splits.map((seconds) => {
    const timeMs = seconds * 1_000;
    const isMidnight = localMs(timeMs, zone) % DAY_MS === 0;
    return timeAs(stepS >= DAY_S || isMidnight ? date : 'clock24', timeMs, language, zone);
  });
}

function dateForm(stepS: number): 'year' | 'month' | 'day' {
  if (stepS >= 300 * DAY_S) return 'year';
  return stepS >= 28 * DAY_S ? 'month' : 'day';
}

/** The labels of the value axis: each has its unit, and no more digits than the step needs. */
function valueLabels(splits: readonly number[], step: number, unit: string, language: string): string[] {
  const decimals = step >= 1 ? 0 : Math.min(6, Math.ceil(-Math.log10(step)));
  return splits.map((value) => `${formatNumber(value, decimals, language)} ${unitSymbol(unit)}`);
}

type Colour = (name: string) => string;

function drawBehind(u: uPlot, contents: PlotContents, firstUnit: string, colour: Colour): void {
  drawBands(u, contents, firstUnit, colour);
  drawMarks(u, contents, colour);
}

function drawBefore(u: uPlot, contents: PlotContents, colour: Colour): void {
  drawThresholds(u, contents, colour);
  drawNames(u, contents, colour);
}

/** Draws behind the lines: the area beyond each threshold, coloured only if the newest value is in it; the usual values; and the present. */
function drawBands(
  u: uPlot,
  { thresholds, usual, nowMs }: PlotContents,
  firstUnit: string,
  colour: Colour,
): void {
  const { ctx, bbox } = u;
  const ratio = devicePixelRatio;
  const bottom = bbox.top + bbox.height;
  const within = (y: number): number => Math.min(bottom, Math.max(bbox.top, y));
  ctx.save();
  for (const { unit, value, isAbove, isCrossed, severity } of thresholds) {
    const y = within(u.valToPos(value, unit, true));
    ctx.fillStyle = colour(isCrossed ? `--${severity}` : '--border-strong');
    ctx.globalAlpha = isCrossed ? 0.07 : 0.05;
    ctx.fillRect(bbox.left, isAbove ? bbox.top : y, bbox.width, isAbove ? y - bbox.top : bottom - y);
  }
  if (usual.length > 1) {
    const at = (ms: number, value: number): [number, number] => [
      u.valToPos(ms / 1_000, 'x', true),
      within(u.valToPos(value, firstUnit, true)),
    ];
    const shape = new Path2D();
    for (const { atMs, max } of usual) shape.lineTo(...at(atMs, max));
    for (const { atMs, min } of usual.toReversed()) shape.lineTo(...at(atMs, min));
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    ctx.fillStyle = colour('--contents');
    ctx.globalAlpha = 0.25;
    ctx.fill(shape);
  }
  if (nowMs !== null) {
    const x = Math.round(u.valToPos(nowMs / 1_000, 'x', true));
    ctx.globalAlpha = 1;
    ctx.strokeStyle = colour('--border-strong');
    ctx.lineWidth = ratio;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bottom);
    ctx.stroke();
  }
  ctx.restore();
}

/** The left and right end of a bar within the plot. */
function spanOf(u: uPlot, { fromMs, toMs }: PlottedBar): readonly [number, number] {
  const { left, width } = u.bbox;
  const x = (ms: number): number => Math.min(left + width, Math.max(left, u.valToPos(ms / 1_000, 'x', true)));
  return [x(fromMs), Math.max(x(fromMs) + BAR_WIDTH_MIN * devicePixelRatio, x(toMs))];
}

/** Operations as bars at the bottom, alerts as marks above them, and notes as flags at the top. */
function drawMarks(u: uPlot, { bars, marks, notes }: PlotContents, colour: Colour): void {
  const { ctx, bbox } = u;
  const ratio = devicePixelRatio;
  const bottom = bbox.top + bbox.height;
  ctx.save();
  ctx.fillStyle = colour('--contents');
  for (const bar of bars) {
    const [left, right] = spanOf(u, bar);
    const width = right - left;
    ctx.globalAlpha = 0.15;
    ctx.fillRect(left, bbox.top, width, bbox.height);
    ctx.globalAlpha = 1;
    ctx.fillRect(left, bottom - BAR_HEIGHT * ratio, width, BAR_HEIGHT * ratio);
  }
  // The most severe marks are drawn last, so that no other mark covers them.
  const bySeverity = marks.toSorted(
    (one, other) => ALERT_SEVERITIES.indexOf(one.severity) - ALERT_SEVERITIES.indexOf(other.severity),
  );
  for (const { atMs, severity } of bySeverity) {
    const at = u.valToPos(atMs / 1_000, 'x', true);
    if (at < bbox.left || at > bbox.left + bbox.width) continue;
    ctx.fillStyle = colour(`--${severity}`);
    ctx.strokeStyle = colour('--text');
    ctx.lineWidth = ratio;
    const path = shape(severity, at, bottom - (LANE_HEIGHT + MARK_SIZE) * ratio, MARK_SIZE * ratio);
    ctx.fill(path);
    ctx.stroke(path);
  }
  ctx.fillStyle = colour('--text');
  for (const atMs of notes) {
    const at = u.valToPos(atMs / 1_000, 'x', true);
    if (at < bbox.left || at > bbox.left + bbox.width) continue;
    ctx.fillRect(at, bbox.top, ratio, bbox.height);
    ctx.fillRect(at, bbox.top, MARK_SIZE * ratio, (MARK_SIZE / 2) * ratio);
  }
  ctx.restore();
}

/** The shape of a mark, as everywhere: a square, a triangle or a circle. */
function shape(severity: AlertSeverity, centre: number, top: number, size: number): Path2D {
  const path = new Path2D();
  if (severity === 'critical') path.rect(centre - size / 2, top, size, size);
  else if (severity === 'warning') {
    path.moveTo(centre, top);
    path.lineTo(centre + size / 2, top + size);
    path.lineTo(centre - size / 2, top + size);
    path.closePath();
  } else path.arc(centre, top + size / 2, size / 2, 0, 2 * Math.PI);
  return path;
}

/** Draws a line for each threshold, with its name at the right end. */
function drawThresholds(u: uPlot, { thresholds }: PlotContents, colour: Colour): void {
  const { ctx, bbox } = u;
  const ratio = devicePixelRatio;
  ctx.save();
  ctx.textAlign = 'right';
  for (const { unit, value, name } of thresholds) {
    const y = Math.round(u.valToPos(value, unit, true));
    if (y < bbox.top || y > bbox.top + bbox.height) continue;
    ctx.lineWidth = ratio;
    ctx.strokeStyle = colour('--muted');
    ctx.setLineDash([6 * ratio, 4 * ratio]);
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    ctx.setLineDash([]);
    drawName(u, name, bbox.left + bbox.width - 4 * ratio, y - 2 * ratio, colour);
  }
  ctx.restore();
}

/** Draws the amounts of the operations above their bars. */
function drawNames(u: uPlot, { bars }: PlotContents, colour: Colour): void {
  const { ctx, bbox } = u;
  const ratio = devicePixelRatio;
  const edge = bbox.left + bbox.width;
  ctx.save();
  ctx.textAlign = 'left';
  ctx.font = labelFont();
  const shown = bars.map((bar) => ({ names: bar.names, leftPx: spanOf(u, bar)[0] }));
  const y = bbox.top + bbox.height - (BAR_HEIGHT + 2) * ratio;
  for (const { text, leftPx } of placedNames(
    shown,
    edge - 4 * ratio,
    8 * ratio,
    (name) => ctx.measureText(name).width,
  )) {
    drawName(u, text, leftPx, y, colour);
  }
  ctx.restore();
}

const labelFont = (): string => `${LABEL_FONT_PX * devicePixelRatio}px ${FONT}`;

/** Draws a name above its place so that it stays readable where a line of the chart crosses it. */
function drawName({ ctx, bbox }: uPlot, name: string, x: number, y: number, colour: Colour): void {
  ctx.font = labelFont();
  ctx.textBaseline = 'bottom';
  ctx.lineJoin = 'round';
  ctx.fillStyle = colour('--muted');
  ctx.strokeStyle = colour('--surface');
  ctx.lineWidth = 4 * devicePixelRatio;
  ctx.strokeText(name, x, y, bbox.width);
  ctx.fillText(name, x, y, bbox.width);
}
