import type { AlertSeverity } from '@granary/contract/alerts';
import type { Quality } from '@granary/contract/telemetry/telemetry';
import { useId } from 'preact/hooks';
import './vessel.css';

/** The silhouette in a box of 64 by 100: a cylinder with a cone below it. */
const TOP = 6;
const CONE = 70;
const BOTTOM = 96;
const LEFT = 6;
const RIGHT = 50;
/** How far each side of the cone goes inwards. */
const TAPER = 17;
const CONE_SIDES = `L${RIGHT - TAPER} ${BOTTOM}H${LEFT + TAPER}`;
const OUTLINE = `M${LEFT} ${TOP}H${RIGHT}V${CONE}${CONE_SIDES}L${LEFT} ${CONE}z`;

export interface Threshold {
  readonly percent: number;
  readonly name: string;
  /** The level is beyond it. */
  readonly isCrossed?: boolean;
}

/** A point of a cable that hangs in the vessel. */
export interface CablePoint {
  /** Its height, in percent of the vessel. */
  readonly percent: number;
  /** `null` where nothing plausible was measured. */
  readonly text: string | null;
  /** The most severe rule that its value breaks. */
  readonly alarm: AlertSeverity | undefined;
  readonly isStale: boolean;
}

interface Props {
  /** `null` where no level was ever reported: hatched, because an empty silo looks different. */
  readonly percent: number | null;
  readonly quality: Quality;
  readonly thresholds?: readonly Threshold[];
  /** The most severe alert about the level: its colour is that of the edge and of the ticks that are crossed. */
  readonly alarm?: AlertSeverity | undefined;
  /** Where a planned or running operation leads. */
  readonly target?: number | null;
  /** The points of a cable, the lowest first. */
  readonly points?: readonly CablePoint[];
  /** In pixels; the width follows. */
  readonly height: number;
  readonly label: string;
}

/** A silo drawn to its level, the same at every size. */
export function Vessel({
  percent,
  quality,
  thresholds = [],
  alarm,
  target = null,
  points = [],
  height,
  label,
}: Props) {
  const hatching = useId();
  return (
    <svg
      class={`vessel ${quality} ${alarm === undefined ? '' : `alarmed ${alarm}`}`}
      viewBox="0 0 64 100"
      height={height}
      width={height * 0.64}
      role="img"
      aria-label={label}
    >
      <path class="wall" d={OUTLINE} />
      {percent === null ? (
        <>
          <pattern
            id={hatching}
            width="6"
            height="6"
            patternUnits="userSpaceOnUse"
            patternTransform="rotate(45)"
          >
            <path class="hatching" d="M0 0V6" />
          </pattern>
          <path d={OUTLINE} fill={`url(#${hatching})`} />
        </>
      ) : (
        <path class="contents" d={contentsUpTo(heightOf(percent))} />
      )}
      {percent !== null && target !== null && (
        <path
          class="ghost"
          d={contentsUpTo(heightOf(Math.max(target, percent)), heightOf(Math.min(target, percent)))}
        />
      )}
      <path class="outline" d={OUTLINE} />
      <Cable points={points} isWritten={(height * 0.9) / points.length >= CABLE_TEXT_PX} />
      {thresholds.map(({ percent: at, name, isCrossed = false }) => (
        <line
          key={name}
          class={`threshold ${isCrossed ? 'crossed' : ''}`}
          x1="52"
          x2="60"
          y1={heightOf(at)}
          y2={heightOf(at)}
        >
          <title>{`${name} ${at} %`}</title>
        </line>
      ))}
    </svg>
  );
}

/** Below it the values of a cable would cover each other; then its points are drawn without them. */
const CABLE_TEXT_PX = 17;
const MIDDLE = (LEFT + RIGHT) / 2;

/** A cable with its points: with their values where there is room, and with the shape of the alarm where a rule is broken. */
function Cable({
  points,
  isWritten,
}: {
  readonly points: readonly CablePoint[];
  readonly isWritten: boolean;
}) {
  if (points.length === 0) return null;
  const lowest = heightOf(points[0]?.percent ?? 0);
  return (
    <g class="cable">
      <path class="cable-line" d={`M${MIDDLE} ${TOP}V${lowest}`} />
      {points.map(({ percent, text, alarm, isStale }) => (
        <g
          key={percent}
          class={`cable-point ${alarm ?? ''} ${isStale || text === null ? 'stale' : ''}`}
          transform={`translate(${MIDDLE} ${heightOf(percent)})`}
        >
          {isWritten ? (
            <rect x="-8" y="-2.2" width="16" height="4.4" rx={alarm === undefined ? 2.2 : 0.6} />
          ) : (
            <path d={POINT_SHAPES[alarm ?? 'normal']} />
          )}
          {isWritten && (
            <text y="1.15" text-anchor="middle">
              {`${SIGNS[alarm ?? 'normal']}${text ?? '–'}`}
            </text>
          )}
        </g>
      ))}
    </g>
  );
}

const ROUND = 'M-1.4 0a1.4 1.4 0 1 0 2.8 0a1.4 1.4 0 1 0-2.8 0';
const POINT_SHAPES = {
  normal: ROUND,
  info: ROUND,
  warning: 'M0-2.2 2.4 1.8H-2.4z',
  critical: 'M-1.9-1.9H1.9V1.9H-1.9z',
};
const SIGNS = { normal: '', info: '● ', warning: '▲ ', critical: '■ ' };

/** Where a level is in the drawing, as a share of 100 from its top. */
export const heightOf = (percent: number): number =>
  BOTTOM - ((BOTTOM - TOP) * Math.min(100, Math.max(0, percent))) / 100;

/** The part of the vessel between two heights. */
function contentsUpTo(top: number, bottom: number = BOTTOM): string {
  const corners = [top, ...(top < CONE && bottom > CONE ? [CONE] : []), bottom];
  const right = corners.map((y) => `${RIGHT - inwards(y)} ${y}`);
  const left = corners.toReversed().map((y) => `${LEFT + inwards(y)} ${y}`);
  return `M${[...right, ...left].join('L')}z`;
}

const inwards = (y: number): number => (TAPER * Math.max(0, y - CONE)) / (BOTTOM - CONE);
