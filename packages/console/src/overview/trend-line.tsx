import type { FleetReading } from '@granary/contract/fleet/devices';
import { useConsole } from '../console.ts';
import { VESSEL_SCALE } from '../parts/vessel.tsx';
import { texts } from '../texts/texts.ts';
import { TREND_INTERVAL_MS, TREND_MS } from './details.ts';
import { useOverviewFacts } from './overview-context.ts';
import { trendPath } from './trend.ts';

const WIDTH = 72;
/** A mean stands for its whole interval, so neighbours are one interval apart. */
const GAP_MS = TREND_INTERVAL_MS * 1.5;

interface Props {
  readonly deviceId: string;
  readonly level: FleetReading | undefined;
  /** In pixels, like that of the vessel beside it. */
  readonly height: number;
}

/** The last day as a thin line at the same height as the contents of the vessel. */
export function TrendLine({ deviceId, level, height }: Props) {
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
