export interface TrendPoint {
  readonly atMs: number;
  readonly value: number;
}

interface Window {
  readonly fromMs: number;
  readonly toMs: number;
  /** Between points that are further apart there is a gap. */
  readonly gapMs: number;
}

export interface Box {
  readonly width: number;
  /** The position of 0; `top` is that of 100. */
  readonly bottom: number;
  readonly top: number;
}

interface TrendPaths {
  /** The path of the line; a single point between two gaps is a dot. */
  readonly line: string;
  /** The path of the area below the line. */
  readonly area: string;
}

/** A level in percent over time as paths of an SVG. */
export function trendPath(
  points: readonly TrendPoint[],
  { fromMs, toMs, gapMs }: Window,
  { width, bottom, top }: Box,
): TrendPaths {
  const x = (atMs: number): string => ((width * (atMs - fromMs)) / (toMs - fromMs)).toFixed(1);
  const y = (value: number): string =>
    (bottom - ((bottom - top) * Math.min(100, Math.max(0, value))) / 100).toFixed(1);
  const shown = points.filter(({ atMs }) => atMs >= fromMs && atMs <= toMs);
  const pieces = shown.map(({ atMs, value }, index) => {
    const isStart = !isNear(shown[index - 1]?.atMs, atMs, gapMs);
    const isEnd = !isNear(shown[index + 1]?.atMs, atMs, gapMs);
    return { at: `${x(atMs)} ${y(value)}`, x: x(atMs), isStart, isEnd };
  });
  return {
    line: pieces
      .map(({ at, isStart, isEnd }) => `${isStart ? 'M' : 'L'}${at}${isStart && isEnd ? 'h0' : ''}`)
      .join(''),
    area: pieces
      .map((piece) => {
        const start = piece.isStart ? `M${piece.x} ${bottom}` : '';
        return `${start}L${piece.at}${piece.isEnd ? `L${piece.x} ${bottom}z` : ''}`;
      })
      .join(''),
  };
}

const isNear = (neighbourMs: number | undefined, atMs: number, gapMs: number): boolean =>
  neighbourMs !== undefined && Math.abs(atMs - neighbourMs) <= gapMs;

/**
 * By how many percentage points the level is higher or lower than at a time; `null` if there is no value near that time, because a change
 * since a later time would be taken for the whole change.
 */
export function changeSince(
  points: readonly TrendPoint[],
  { fromMs, gapMs }: Pick<Window, 'fromMs' | 'gapMs'>,
  now: number,
): number | null {
  const first = points.find(({ atMs }) => atMs >= fromMs);
  return first === undefined || first.atMs - fromMs > gapMs ? null : now - first.value;
}
