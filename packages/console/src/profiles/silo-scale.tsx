import type { FleetDevice, FleetReading } from '@granary/contract/fleet';
import { useConsole } from '../context/console.ts';
import { emptySentence, orderSentence } from '../foresight/forecast-words.ts';
import { forecastsOf } from '../foresight/forecasts.ts';
import { formatMass, formatNumber, formatValue, viewerZone, zoneOf } from '../kit/format.ts';
import { LastKnown, Measured } from '../kit/measured.tsx';
import { VESSEL_SCALE, Vessel } from '../kit/vessel.tsx';
import { locale, texts } from '../texts/texts.ts';
import type { ProfileView } from './profile.ts';
import { TREND_INTERVAL_MS, TREND_MS, useOverviewFacts } from './tile-facts.ts';
import { changeSince, trendPath } from './trend.ts';

const WIDTH = 72;

/** A mean stands for its whole interval, so neighbours are one interval apart. */
const GAP_MS = TREND_INTERVAL_MS * 1.5;

const HEIGHT = 88;

interface Props {
  readonly device: FleetDevice;
}

/** The level of the last day, which ends at the level in the vessel. */
function Picture({ device: { device_id, name, readings = {} } }: Props) {
  const { details } = useOverviewFacts();
  const { overview } = texts.value;
  const { level } = readings;
  const thresholds = details.thresholds.of(device_id).value ?? [];
  return (
    <>
      <TrendLine deviceId={device_id} level={level} height={HEIGHT} />
      <Vessel
        percent={level?.value ?? null}
        quality={level?.quality ?? 'good'}
        thresholds={thresholds.map(({ name: threshold, percent }) => ({
          percent,
          name: overview.thresholds[threshold],
        }))}
        height={HEIGHT}
        label={overview.levelOf(
          name,
          level === undefined ? null : formatValue(level.value, 'percent', locale.value),
        )}
      />
    </>
  );
}

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
  const percent = level === undefined ? '' : ` · ${formatValue(level.value, 'percent', locale.value)}`;
  const room = level === undefined || weight === undefined ? null : roomOf(weight.value, level.value);
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
            text={`${formatMass(weight.value, locale.value)}${percent}`}
            quality={weight.quality}
            at={weight.timestamp}
          />
        )}
      </p>
      {told === null ? (
        <p class="muted">{room === null ? '' : overview.room(formatMass(room, locale.value))}</p>
      ) : (
        <p class="forecast-tile" title={told}>
          <LastKnown>{told}</LastKnown>
        </p>
      )}
      {order === null ? (
        <p class="muted">{change === null ? '' : overview.changeOfDay(withSign(change))}</p>
      ) : (
        <p class="forecast-tile">
          <LastKnown>{order}</LastKnown>
        </p>
      )}
    </>
  );
}

/** The capacity is what the two values say together; of an empty silo they say nothing. */
function roomOf(weight: number, level: number): number | null {
  if (level <= 0 || weight <= 0) return null;
  return Math.max(0, (weight * 100) / level - weight);
}

function withSign(points: number): string {
  const rounded = Math.round(points);
  const size = texts.value.overview.points(formatNumber(Math.abs(rounded), 0, locale.value));
  if (rounded === 0) return `±${size}`;
  return rounded > 0 ? `+${size}` : `−${size}`;
}

export const siloScale: ProfileView = {
  names: {
    en: { one: 'Silo scale', many: 'Silos' },
    de: { one: 'Silowaage', many: 'Silos' },
  },
  Picture,
  Values,
  minor: ['temperature', 'humidity'],
};

interface TrendLineProps {
  readonly deviceId: string;
  readonly level: FleetReading | undefined;
  /** In pixels, like that of the vessel beside it. */
  readonly height: number;
}

/** The last day as a thin line at the same height as the contents of the vessel. */
function TrendLine({ deviceId, level, height }: TrendLineProps) {
  const { details } = useOverviewFacts();
  const { clock } = useConsole().live.site;
  const means = details.trends.of(deviceId).value ?? [];
  const toMs = clock.nowMs.peek();
  const points = means.map(({ atMs, value }) => ({ atMs: atMs + TREND_INTERVAL_MS / 2, value }));
  const newest = level === undefined ? null : { atMs: Date.parse(level.timestamp), value: level.value };
  const past = points.filter(({ atMs }) => newest === null || atMs < newest.atMs);
  const shown = newest === null ? past : [...past, newest];
  const width = (WIDTH * VESSEL_SCALE.height) / height;
  const { top, bottom } = VESSEL_SCALE;
  const window = { fromMs: toMs - TREND_MS, toMs, gapMs: GAP_MS };
  return (
    <svg
      class="overview-trend"
      viewBox={`0 0 ${width} ${VESSEL_SCALE.height}`}
      width={WIDTH}
      height={height}
      role="img"
      aria-label={texts.value.overview.lastDay}
    >
      <path class="base" d={`M0 ${bottom}H${width}`} />
      <path class="line" d={trendPath(shown, window, { width, top, bottom })} />
    </svg>
  );
}
