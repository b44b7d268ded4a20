import './fan-chart.css';
import { timeAs } from '@granary/common/time-text';
import { timeZone } from '@granary/common/time-zone';
import type { Forecast } from '@granary/contract/foresight/forecasts';
import type { Refill } from '@granary/contract/foresight/refills';
import { DAY_MS } from '@granary/contract/time';
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { formatMass, zoneOf } from '../kit/format.ts';
import { locale, texts } from '../texts.ts';
import { likelyTimesMs } from './forecast-words.ts';

const HEIGHT = 260;
const LEFT = 56;
const BOTTOM = 24;
const TOP = 12;
const RIGHT = 8;
const Y_PARTS = 4;
const LABEL_PX = 64;
/** The width of a column, so that a dot of 6 px does not touch its neighbours. */
const DOT_PX = 8;
const DOTS_HEIGHT = 84;

export interface LevelPoint {
  readonly atMs: number;
  readonly kg: number;
}

interface Props {
  readonly deviceId: string;
  readonly forecast: Forecast;
  readonly past: readonly LevelPoint[];
  readonly refills: readonly Refill[];
  readonly capacityKg: number;
  readonly nowMs: number;
  readonly label: string;
}

/** Draws the level of the last days and of the days ahead: the more certain, the darker. */
export function FanChart({ deviceId, forecast, past, refills, capacityKg, nowMs, label }: Props) {
  const { place, width } = useWidth();
  const { foresight } = texts.value;
  const zoneName = zoneOf(forecast);
  const expected = forecast.with_deliveries === null ? forecast.path : forecast.path_with_deliveries;
  const path = expected.map(({ at, ...levels }) => ({ atMs: Date.parse(at), ...levels }));
  const fromMs = past[0]?.atMs ?? nowMs - DAY_MS;
  const toMs = path.at(-1)?.atMs ?? nowMs + DAY_MS;
  const topKg = Math.max(capacityKg, ...past.map(({ kg }) => kg));
  const x = (ms: number): number => LEFT + ((ms - fromMs) / (toMs - fromMs)) * (width - LEFT - RIGHT);
  const daysPerLabel = Math.max(1, Math.ceil(LABEL_PX / (x(fromMs + DAY_MS) - x(fromMs))));
  const y = (kg: number): number => TOP + (1 - kg / topKg) * (HEIGHT - TOP - BOTTOM);
  const line = (points: readonly LevelPoint[]): string =>
    points
      .map(({ atMs, kg }, index) => `${index === 0 ? 'M' : 'L'}${x(atMs).toFixed(1)} ${y(kg).toFixed(1)}`)
      .join('');
  const levels = (name: 'p10' | 'p25' | 'p50' | 'p75' | 'p90'): LevelPoint[] =>
    path.map((point) => ({ atMs: point.atMs, kg: point[name] }));
  const band = (low: LevelPoint[], high: LevelPoint[]): string =>
    low.length === 0 ? '' : `${line(high)}${line(low.toReversed()).replace('M', 'L')}Z`;
  const reserveKg =
    forecast.level_kg === null || forecast.usable_kg === null ? 0 : forecast.level_kg - forecast.usable_kg;
  return (
    <div ref={place} class="fan-chart">
      <svg width={width} height={HEIGHT} role="img" aria-label={label}>
        {Array.from({ length: Y_PARTS + 1 }, (_, part) => (part * topKg) / Y_PARTS).map((kg) => (
          <g key={kg}>
            <path class="grid" d={`M${LEFT} ${y(kg)}H${width - RIGHT}`} />
            <text x={LEFT - 6} y={y(kg) + 4} text-anchor="end">
              {formatMass(kg, locale.value, deviceId)}
            </text>
          </g>
        ))}
        {dayStarts(fromMs, toMs, zoneName).map((ms, day) => (
          <g key={ms}>
            <path class="grid" d={`M${x(ms)} ${TOP}V${HEIGHT - BOTTOM}`} />
            {day % daysPerLabel === 0 && x(ms) < width - 40 && (
              <text x={x(ms) + 2} y={HEIGHT - 8}>
                {dayName(ms, zoneName)}
              </text>
            )}
          </g>
        ))}
        {reserveKg > 0 && (
          <>
            <path class="reserve" d={`M${LEFT} ${y(reserveKg)}H${width - RIGHT}`} />
            <text x={LEFT + 4} y={y(reserveKg) - 4}>
              {foresight.reserve}
            </text>
          </>
        )}
        <path class="possible" d={band(levels('p10'), levels('p90'))} />
        <path class="likely" d={band(levels('p25'), levels('p75'))} />
        <path class="ahead" d={line(levels('p50'))} />
        <path class="past" d={line(past)} />
        {[...marksOfRefills(refills, fromMs), ...marksOfDeliveries(forecast, path, nowMs)].map((mark) => (
          <path key={mark.key} class={mark.kind} d={`M${x(mark.atMs)} ${y(mark.levelKg) - 3}l-5 -8h10Z`}>
            <title>{`${mark.name}: ${formatMass(mark.kg, locale.value, deviceId)}`}</title>
          </path>
        ))}
        <path class="now" d={`M${x(nowMs)} ${TOP}V${HEIGHT - BOTTOM}`} />
        <text x={x(nowMs) + 4} y={TOP + 10}>
          {foresight.now}
        </text>
      </svg>
      <p class="fan-legend muted">
        <span class="likely-sign" /> {foresight.likely} <span class="possible-sign" /> {foresight.possible}
      </p>
    </div>
  );
}

/** What has come or will come into the silo, as a mark above the level after it. */
interface Mark {
  readonly key: string;
  readonly kind: 'refill' | 'delivery';
  readonly name: string;
  readonly atMs: number;
  readonly kg: number;
  readonly levelKg: number;
}

const marksOfRefills = (refills: readonly Refill[], fromMs: number): Mark[] =>
  refills.flatMap(({ refill_id: key, ended_at, kg, after_kg: levelKg, is_refill }) => {
    const atMs = Date.parse(ended_at);
    const name = texts.value.foresight.refill;
    return is_refill && levelKg !== null && atMs >= fromMs
      ? [{ key, kind: 'refill', name, atMs, kg, levelKg }]
      : [];
  });

const marksOfDeliveries = (
  { with_deliveries }: Forecast,
  path: readonly { readonly atMs: number; readonly p50: number }[],
  nowMs: number,
): Mark[] =>
  (with_deliveries?.deliveries ?? []).flatMap(({ at, kg }) => {
    const atMs = Math.max(Date.parse(at), nowMs);
    const after = path.findLast((point) => point.atMs === atMs);
    const name = texts.value.foresight.planned;
    return after === undefined ? [] : [{ key: at, kind: 'delivery', name, atMs, kg, levelKg: after.p50 }];
  });

/** Draws twenty equally likely times, stacked where they are close, so that a person counts them instead of reading a probability. */
export function DotStrip({ forecast, nowMs }: Pick<Props, 'forecast' | 'nowMs'>) {
  const { place, width } = useWidth();
  const timesMs = likelyTimesMs(forecast, nowMs);
  const [firstMs, lastMs] = [timesMs[0], timesMs.at(-1)];
  if (firstMs === undefined || lastMs === undefined) return null;
  const zoneName = zoneOf(forecast);
  const days = dayStarts(firstMs - DAY_MS, lastMs + DAY_MS, zoneName);
  const fromMs = days[0] ?? firstMs;
  const toMs = (days.at(-1) ?? lastMs) + DAY_MS;
  const x = (ms: number): number => ((ms - fromMs) / (toMs - fromMs)) * (width - 2 * DOT_PX) + DOT_PX;
  const columns = Map.groupBy(timesMs, (ms) => Math.round(x(ms) / DOT_PX));
  return (
    <div ref={place} class="dot-strip">
      <svg width={width} height={DOTS_HEIGHT} role="img" aria-label={texts.value.foresight.dots}>
        <path class="grid" d={`M0 ${DOTS_HEIGHT - BOTTOM}H${width}`} />
        {days.map((ms, day) => (
          <g key={ms}>
            <path class="grid" d={`M${x(ms)} ${DOTS_HEIGHT - BOTTOM}v5`} />
            {day % Math.ceil((days.length * 64) / width) === 0 && (
              <text x={x(ms) + 2} y={DOTS_HEIGHT - 8}>
                {dayName(ms, zoneName)}
              </text>
            )}
          </g>
        ))}
        {[...columns].flatMap(([column, times]) =>
          times.map((ms, index) => (
            <circle
              key={ms}
              cx={column * DOT_PX}
              cy={DOTS_HEIGHT - BOTTOM - DOT_PX / 2 - index * DOT_PX}
              r={DOT_PX / 2 - 0.5}
            />
          )),
        )}
      </svg>
    </div>
  );
}

/** The beginnings of the days in the time zone of the silo. */
function dayStarts(fromMs: number, toMs: number, zoneName: string): number[] {
  const zone = timeZone(zoneName);
  if (zone === null) return [];
  const starts: number[] = [];
  for (let ms = zone.nextDayStart(fromMs); ms < toMs; ms = zone.nextDayStart(ms)) starts.push(ms);
  return starts;
}

const dayName = (ms: number, zoneName: string): string => timeAs('weekdayAndDay', ms, locale.value, zoneName);

const USUAL_WIDTH = 720;

/** Measures the width of the place, so that texts keep their size. */
function useWidth() {
  const place = useRef<HTMLDivElement>(null);
  const width = useSignal(USUAL_WIDTH);
  useEffect(() => {
    const { current } = place;
    if (current === null) return;
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined) width.value = Math.max(240, Math.floor(entry.contentRect.width));
    });
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  return { place, width: width.value };
}
