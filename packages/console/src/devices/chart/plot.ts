import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { Plot, PlotContents, PlotOptions } from './plot-contents.ts';
import { timeLabels, valueLabels } from './plot-labels.ts';
import { drawMarks, drawThresholds } from './plot-marks.ts';
import { isolatedIndexes } from './series.ts';

const BAND_OPACITY = '20%';
const AXIS_FONT = '12px system-ui, sans-serif';
/** A hair of room above and below the values. */
const PADDING = 0.08;
/** The noise of a steady value is not drawn as if it were a change. */
const SPAN_SHARE_MIN = 0.03;
const SPAN_MIN = 0.1;

/** Draws means as lines over the bands from minimum to maximum; sensors of the same unit share a scale. */
export function openPlot(place: HTMLElement, options: PlotOptions): Plot {
  const { sensors, language, height, onSelect, onCursor } = options;
  let contents: PlotContents | null = null;
  const units = [...new Set(sensors.map(({ unit }) => unit))];
  const { colour, paleColour } = coloursAt(place);
  const mean = (index: number): number => 1 + index * 3;
  const plot = new uPlot(
    {
      width: place.clientWidth,
      height,
      legend: { show: false },
      padding: [8, units.length > 1 ? 0 : 12, 0, 0],
      cursor: { drag: { x: true, y: false, setScale: false }, y: false, points: { size: 7 } },
      scales: {
        x: { time: true, range: () => [(contents?.fromMs ?? 0) / 1_000, (contents?.toMs ?? 1) / 1_000] },
        ...Object.fromEntries(
          units.map((unit) => [
            unit,
            {
              range: (_: uPlot, min: number | null, max: number | null) =>
                sensors.some((one) => one.unit === unit && one.isShare) ? [0, 100] : padded(min, max, unit),
            } as uPlot.Scale,
          ]),
        ),
      },
      axes: [
        {
          stroke: () => colour('--muted'),
          font: AXIS_FONT,
          grid: { stroke: () => colour('--border'), width: 1 },
          ticks: { show: false },
          values: (_, splits, __, ___, incr) => timeLabels(splits, incr, language),
          space: 72,
          size: 32,
        },
        ...units.map(
          (unit, index): uPlot.Axis => ({
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
          }),
        ),
      ],
      series: [
        {},
        ...sensors.flatMap(({ unit, colour: name }): uPlot.Series[] => [
          {
            scale: unit,
            stroke: () => colour(name),
            width: 2,
            points: {
              show: true,
              size: 5,
              fill: () => colour(name),
              filter: (u, index) => isolatedIndexes(u.data[index] as number[]),
            },
          },
          { scale: unit, width: 0, points: { show: false } },
          { scale: unit, width: 0, points: { show: false } },
        ]),
      ],
      bands: sensors.map(({ colour: name }, index) => ({
        series: [mean(index) + 2, mean(index) + 1],
        fill: () => paleColour(name),
      })),
      hooks: {
        drawAxes: [(u) => contents !== null && drawMarks(u, contents, colour)],
        draw: [(u) => contents !== null && drawThresholds(u, contents, colour)],
        setCursor: [(u) => onCursor(u.cursor.idx ?? null)],
        setSelect: [
          (u) => {
            const { left, width } = u.select;
            if (width < 4) return;
            onSelect(u.posToVal(left, 'x') * 1_000, u.posToVal(left + width, 'x') * 1_000);
            u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          },
        ],
      },
    },
    [[]],
    place,
  );

  function padded(min: number | null, max: number | null, unit: string): [number, number] {
    if (min === null || max === null) return [0, 1];
    const span = Math.max(max - min, Math.abs(max) * SPAN_SHARE_MIN, SPAN_MIN);
    const near = (contents?.thresholds ?? [])
      .filter((one) => one.unit === unit && one.value > min - span && one.value < max + span)
      .map(({ value }) => value);
    const room = span * PADDING + (span - (max - min)) / 2;
    return [Math.min(min - room, ...near), Math.max(max + room, ...near)];
  }

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
    resize: (width) => plot.setSize({ width, height }),
    redraw: () => plot.redraw(true, true),
    timeAt: (clientX) => plot.posToVal(clientX - plot.over.getBoundingClientRect().left, 'x') * 1_000,
    close: () => plot.destroy(),
  };
}

/** The colours of the theme in a form that a canvas accepts: a token has one colour for each theme. */
function coloursAt(place: HTMLElement) {
  const sample = place.appendChild(document.createElement('span'));
  const resolved = (colour: string): string => {
    sample.style.color = colour;
    return getComputedStyle(sample).color;
  };
  return {
    colour: (name: string): string => resolved(`var(${name})`),
    paleColour: (name: string): string =>
      resolved(`color-mix(in srgb, var(${name}) ${BAND_OPACITY}, transparent)`),
  };
}
