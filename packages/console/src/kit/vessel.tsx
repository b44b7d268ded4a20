import type { AlertSeverity } from '@granary/contract/alerts';
import type { Quality } from '@granary/contract/telemetry/telemetry';
import { useId } from 'preact/hooks';
import './vessel.css';

/** The outline in a box of 64 by 100: a cylinder with a cone below it. */
const TOP = 6;
const CONE = 70;
const BOTTOM = 96;
const LEFT = 6;
const RIGHT = 50;
/** The distance by which each side of the cone goes inwards. */
const TAPER = 17;
const CONE_SIDES = `L${RIGHT - TAPER} ${BOTTOM}H${LEFT + TAPER}`;
const OUTLINE = `M${LEFT} ${TOP}H${RIGHT}V${CONE}${CONE_SIDES}L${LEFT} ${CONE}z`;

export interface Threshold {
  readonly percent: number;
  readonly name: string;
  /** True when the level is beyond the threshold. */
  readonly isCrossed?: boolean;
}

/** A point of a cable that hangs in the vessel. */
export interface CablePoint {
  /** The height of the point, in percent of the vessel. */
  readonly percent: number;
  /** The value as a text; `null` when nothing plausible was measured. */
  readonly text: string | null;
  /** The severity of the most severe rule that the value breaks. */
  readonly alarm: AlertSeverity | undefined;
  readonly isStale: boolean;
}

interface Props {
  /** The level; `null` when none was ever reported. The vessel is then hatched, because an empty silo must look different. */
  readonly percent: number | null;
  readonly quality: Quality;
  readonly thresholds?: readonly Threshold[];
  /** The most severe alert about the level; it gives the colour of the edge and of the crossed thresholds. */
  readonly alarm?: AlertSeverity | undefined;
  /** The level to which a planned or running operation leads. */
  readonly target?: number | null;
  /** The points of a cable, the lowest first. */
  readonly points?: readonly CablePoint[];
  /** The height in pixels; the width follows from it. */
  readonly height: number;
  readonly label: string;
}

/** Draws a silo to its level, in the same form at every size. */
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

/** With less room between two points than this, their values would cover each other, so the points are drawn without values. */
const CABLE_TEXT_PX = 17;
const MIDDLE = (LEFT + RIGHT) / 2;

/** Draws a cable with its points: with their values where there is room, and with the shape of the alarm where a rule is broken. */
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

/** The position of a level in the drawing, as a share of 100 from its top. */
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
