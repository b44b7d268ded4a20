import type { AlertType } from '@granary/contract/alerts';
import type { FleetDevice } from '@granary/contract/fleet';
import { useConsole } from '../context/console.ts';
import { emptySentence, orderSentence } from '../foresight/forecast-words.ts';
import { forecastsOf } from '../foresight/forecasts.ts';
import { formatMass, formatValue, viewerZone, zoneOf } from '../kit/format.ts';
import { LastKnown, Measured } from '../kit/measured.tsx';
import { Vessel } from '../kit/vessel.tsx';
import { levelAtEnd } from '../operations/jobs.ts';
import { locale, texts } from '../texts.ts';
import type { ProfileView } from './profile.ts';
import { type LevelThreshold, TREND_INTERVAL_MS, TREND_MS, useOverviewFacts } from './tile-facts.ts';
import { changeSince, trendPath } from './trend.ts';

/** A mean stands for its whole interval, so neighbours are one interval apart. */
const GAP_MS = TREND_INTERVAL_MS * 1.5;

/** The height in pixels. */
const HEIGHT = 88;

/** The box of the trend; it is stretched to the width of the tile. */
const TREND_BOX = { width: 240, height: 36, top: 3, bottom: 36 };

const LEVEL_ALERTS: readonly AlertType[] = ['low_level', 'critical_level', 'high_level'];

interface Props {
  readonly device: FleetDevice;
}

function Picture({ device: { device_id, name, readings = {} } }: Props) {
  const { details, byDevice } = useOverviewFacts();
  const { overview } = texts.value;
  const { level, weight } = readings;
  const running = byDevice.operations.value.get(device_id)?.[0];
  const capacityKg =
    level === undefined || weight === undefined ? null : capacityOf(weight.value, level.value);
  const thresholds = details.thresholds.of(device_id).value ?? [];
  const alerts = byDevice.alerts.value.get(device_id) ?? [];
  return (
    <Vessel
      percent={level?.value ?? null}
      quality={level?.quality ?? 'good'}
      thresholds={thresholds.map(({ name: threshold, percent }) => ({
        percent,
        name: overview.thresholds[threshold],
        isCrossed: isCrossed(threshold, percent, level?.value),
      }))}
      alarm={alerts.find(({ type }) => LEVEL_ALERTS.includes(type))?.severity}
      target={
        running === undefined || level === undefined || capacityKg === null
          ? null
          : levelAtEnd(running, level.value, capacityKg)
      }
      height={HEIGHT}
      label={overview.levelOf({
        name,
        level: level === undefined ? null : formatValue(level.value, 'percent', locale.value),
      })}
    />
  );
}

const isCrossed = (threshold: LevelThreshold['name'], limit: number, level: number | undefined): boolean =>
  level !== undefined && (threshold === 'high_level' ? level >= limit : level <= limit);

function Values({ device: { device_id, readings = {} } }: Props) {
  const { details } = useOverviewFacts();
  const { client, live } = useConsole();
  const { clock } = live.site;
  const { overview } = texts.value;
  const { level, weight } = readings;
  const forecast = forecastsOf(client, live).value.get(device_id);
  const reading = {
    nowMs: clock.nowMs.peek(),
    language: locale.value,
    words: texts.value.foresight,
    timeZone: forecast === undefined ? viewerZone() : zoneOf(forecast),
  };
  const told = forecast === undefined ? null : emptySentence(forecast, reading);
  const order = forecast === undefined ? null : orderSentence(forecast, reading);
  // A tile has room for the likely time only; the range is on the page of the silo and in the text on hover.
  const likely =
    forecast?.status === 'ok' && forecast.empty !== null
      ? emptySentence({ ...forecast, empty: { ...forecast.empty, p10: null } }, reading)
      : told;
  const percent = level === undefined ? null : formatValue(level.value, 'percent', locale.value);
  const capacityKg =
    level === undefined || weight === undefined ? null : capacityOf(weight.value, level.value);
  const room = capacityKg === null || weight === undefined ? null : Math.max(0, capacityKg - weight.value);
  const trend = details.trends.of(device_id).value ?? [];
  const change =
    level === undefined
      ? null
      : changeSince(
          trend,
          { fromMs: clock.nowMs.peek() - TREND_MS, gapMs: 2 * TREND_INTERVAL_MS },
          level.value,
        );
  return (
    <>
      <p class="overview-main">
        {weight === undefined && <span class="muted">{texts.value.common.neverReported}</span>}
        {weight !== undefined && (
          <Measured
            text={formatMass(weight.value, locale.value, device_id)}
            quality={weight.quality}
            at={weight.timestamp}
          />
        )}
        {weight !== undefined && percent !== null && <span class="overview-beside">{percent}</span>}
      </p>
      {told === null ? (
        <p class="muted">
          {room === null ? '' : overview.room({ mass: formatMass(room, locale.value, device_id) })}
        </p>
      ) : (
        <p class="forecast-tile" title={told}>
          <LastKnown>{likely}</LastKnown>
        </p>
      )}
      {order === null ? (
        <p class="muted">{change === null ? '' : overview.changeOfDay({ change: withSign(change) })}</p>
      ) : (
        <p class="forecast-tile">
          <LastKnown>{order}</LastKnown>
        </p>
      )}
    </>
  );
}

/** The capacity follows from weight and level together; for an empty silo they do not give one. */
const capacityOf = (weight: number, level: number): number | null =>
  level <= 0 || weight <= 0 ? null : (weight * 100) / level;

function withSign(points: number): string {
  const rounded = Math.round(points);
  const size = texts.value.overview.points({ count: Math.abs(rounded) });
  if (rounded === 0) return `±${size}`;
  return rounded > 0 ? `+${size}` : `−${size}`;
}

/** Draws the level of the last day over the whole width of the tile. */
function Foot({ device: { device_id, readings = {} } }: Props) {
  const { details } = useOverviewFacts();
  const { clock } = useConsole().live.site;
  const { level } = readings;
  const means = details.trends.of(device_id).value ?? [];
  const toMs = clock.nowMs.peek();
  // The first mean began before the window, so its point is moved to the beginning of the window.
  const points = means.map(({ atMs, value }) => ({
    atMs: Math.max(atMs + TREND_INTERVAL_MS / 2, toMs - TREND_MS),
    value,
  }));
  const newest = level === undefined ? null : { atMs: Date.parse(level.timestamp), value: level.value };
  const past = points.filter(({ atMs }) => newest === null || atMs < newest.atMs);
  const shown = newest === null ? past : [...past, newest];
  const window = { fromMs: toMs - TREND_MS, toMs, gapMs: GAP_MS };
  const { area, line } = trendPath(shown, window, TREND_BOX);
  return (
    <svg
      class="overview-trend"
      viewBox={`0 0 ${TREND_BOX.width} ${TREND_BOX.height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={texts.value.overview.lastDay}
    >
      <path class="area" d={area} />
      <path class="line" d={line} />
    </svg>
  );
}

export const siloScale: ProfileView = {
  Picture,
  Values,
  Foot,
  minor: ['temperature', 'humidity'],
};
