import type { PreflightResult } from '@granary/contract/missions/missions';
import { formatLength } from '../../format/lengths.ts';
import { formatValue } from '../../format/numbers.ts';
import { formatDuration } from '../../format/times.ts';
import { Failure } from '../../parts/failure.tsx';
import { SeverityMark } from '../../parts/severity-mark.tsx';
import { locale, texts } from '../../texts/texts.ts';
import type { LivePreflight } from './use-preflight.ts';

/** What the drawn mission would need, and why it would be refused. */
export function PreflightPanel({ result, failure }: LivePreflight) {
  const { missions } = texts.value;
  return (
    <section class="map-preflight" aria-label={missions.preflight} aria-live="polite">
      <h3>{missions.preflight}</h3>
      <Failure of={failure} />
      {result === null && failure === null && <p class="muted">{missions.checking}</p>}
      {result !== null && <Numbers result={result} />}
      {result !== null && result.refusal !== null && (
        <div class="refused" role="alert">
          <SeverityMark severity="warning" text={missions.refused} />
          <p>{refusalText(result)}</p>
        </div>
      )}
    </section>
  );
}

function Numbers({ result: { preflight } }: { readonly result: PreflightResult }) {
  const { missions } = texts.value;
  if (preflight === null) return null;
  const percent = (value: number): string => formatValue(Math.round(value), 'percent', locale.value);
  const left = preflight.battery_available - preflight.battery_required;
  const values = [
    [missions.distance, formatLength(preflight.distance_m, locale.value)],
    [missions.duration, formatDuration(preflight.duration_s * 1_000)],
    [missions.wayBack, formatLength(preflight.return_distance_m, locale.value)],
    [
      missions.batteryNeeded,
      `${percent(preflight.battery_required)} / ${percent(preflight.battery_available)}`,
    ],
  ] as const;
  return (
    <>
      <dl class="map-values">
        {values.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <p class="muted">{missions.batteryLeft(percent(left), percent(preflight.battery_reserve))}</p>
    </>
  );
}

const WAYPOINT = /^\/waypoints\/(\d+)$/;

/** Waypoints are numbered from one, as on the map. */
function refusalText({ refusal }: PreflightResult): string {
  const { missions } = texts.value;
  if (refusal === null) return '';
  const named = refusal.details.flatMap(({ path, message }) => {
    const index = WAYPOINT.exec(path)?.[1];
    return index === undefined ? [] : [`${missions.waypoint(Number(index) + 1)} ${message}`];
  });
  const text = named.length === 0 ? refusal.message : named.join('; ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
