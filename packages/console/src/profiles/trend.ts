export interface TrendPoint {
  readonly atMs: number;
  readonly value: number;
}

interface Window {
  readonly fromMs: number;
  readonly toMs: number;
  /** Points that are further apart than this have a gap between them. */
  readonly gapMs: number;
}

export interface Box {
  readonly width: number;
  /** The heights of 0 and of 100. */
  readonly bottom: number;
  readonly top: number;
}

/** The line of a level in percent as the path of an SVG. A single point between two gaps is a dot. */
export function trendPath(
  points: readonly TrendPoint[],
  { fromMs, toMs, gapMs }: Window,
  { width, bottom, top }: Box,
): string {
  const x = (atMs: number): string => ((width * (atMs - fromMs)) / (toMs - fromMs)).toFixed(1);
  const y = (value: number): string =>
    (bottom - ((bottom - top) * Math.min(100, Math.max(0, value))) / 100).toFixed(1);
  const shown = points.filter(({ atMs }) => atMs >= fromMs && atMs <= toMs);
  return shown
    .map(({ atMs, value }, index) => {
      const isStart = !isNear(shown[index - 1]?.atMs, atMs, gapMs);
      const isAlone = isStart && !isNear(shown[index + 1]?.atMs, atMs, gapMs);
      return `${isStart ? 'M' : 'L'}${x(atMs)} ${y(value)}${isAlone ? 'h0' : ''}`;
    })
    .join('');
}

const isNear = (neighbourMs: number | undefined, atMs: number, gapMs: number): boolean =>
  neighbourMs !== undefined && Math.abs(atMs - neighbourMs) <= gapMs;

/**
 * How much the level is higher or lower than at a time, in percentage points; `null` where there is no value near that
 * time, because a change since later would be taken for the whole.
 */
export function changeSince(
  points: readonly TrendPoint[],
  { fromMs, gapMs }: Pick<Window, 'fromMs' | 'gapMs'>,
  now: number,
): number | null {
  const first = points.find(({ atMs }) => atMs >= fromMs);
  return first === undefined || first.atMs - fromMs > gapMs ? null : now - first.value;
}
