import './battery.css';
import type { Quality } from '@granary/contract/telemetry/telemetry';

/** The weakest signals, in dBm, that have one, two, three and four bars. */
const LIMITS = [-110, -95, -80, -65];

interface Props {
  readonly percent: number | null;
  readonly quality: Quality;
}

const TOP = 12;
const BOTTOM = 80;

/** A battery that is filled to its charge. Its value stands beside it, so it is not read aloud. */
export function Battery({ percent, quality }: Props) {
  const share = Math.min(100, Math.max(0, percent ?? 0)) / 100;
  const height = (BOTTOM - TOP) * share;
  return (
    <svg class={`battery ${quality}`} viewBox="0 0 44 88" width="44" height="88" aria-hidden="true">
      <path class="outline" d="M16 4h12v5H16z" />
      <rect class="wall" x="5" y={TOP - 3} width="34" height={BOTTOM - TOP + 6} rx="3" />
      {percent !== null && <rect class="contents" x="8" y={BOTTOM - height} width="28" height={height} />}
    </svg>
  );
}

interface SignalProps {
  readonly dbm: number | null;
  readonly quality: Quality;
}

const STEPS = [1, 2, 3, 4];

/** Four bars, as on a phone. */
export function SignalBars({ dbm, quality }: SignalProps) {
  const bars = barsOf(dbm);
  return (
    <svg class={`battery ${quality}`} viewBox="0 0 40 40" width="40" height="40" aria-hidden="true">
      {STEPS.map((step) => (
        <rect
          key={step}
          class={step <= bars ? 'contents' : 'wall'}
          x={step * 9 - 7}
          y={38 - step * 8}
          width="6"
          height={step * 8}
        />
      ))}
    </svg>
  );
}

const barsOf = (dbm: number | null): number =>
  dbm === null ? 0 : LIMITS.filter((limit) => dbm >= limit).length;
