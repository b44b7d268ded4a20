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

/** Where 0 % and 100 % are in the height of 100, for what is drawn beside it at the same scale. */
export const VESSEL_SCALE = { bottom: BOTTOM, top: TOP, height: 100 };

export interface Threshold {
  readonly percent: number;
  readonly name: string;
}

interface Props {
  /** `null` where no level was ever reported: hatched, because an empty silo looks different. */
  readonly percent: number | null;
  readonly quality: Quality;
  readonly thresholds?: readonly Threshold[];
  /** In pixels; the width follows. */
  readonly height: number;
  readonly label: string;
}

/** A silo drawn to its level, the same at every size. */
export function Vessel({ percent, quality, thresholds = [], height, label }: Props) {
  const hatching = useId();
  return (
    <svg
      class={`vessel ${quality}`}
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
      <path class="outline" d={OUTLINE} />
      {thresholds.map(({ percent: at, name }) => (
        <line key={name} class="threshold" x1="52" x2="60" y1={heightOf(at)} y2={heightOf(at)}>
          <title>{`${name} ${at} %`}</title>
        </line>
      ))}
    </svg>
  );
}

/** Where a level is in the drawing, as a share of 100 from its top. */
export const heightOf = (percent: number): number =>
  BOTTOM - ((BOTTOM - TOP) * Math.min(100, Math.max(0, percent))) / 100;

function contentsUpTo(y: number): string {
  if (y <= CONE) return `M${LEFT} ${y}H${RIGHT}V${CONE}${CONE_SIDES}L${LEFT} ${CONE}z`;
  const inwards = (TAPER * (y - CONE)) / (BOTTOM - CONE);
  return `M${LEFT + inwards} ${y}H${RIGHT - inwards}${CONE_SIDES}z`;
}
