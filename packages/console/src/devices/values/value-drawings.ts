const MARGIN_PX = 6;

interface Size {
  readonly widthPx: number;
  readonly rowPx: number;
}

export interface ProfileLine {
  /** The lines as SVG paths; a missing value ends a line. */
  readonly lines: readonly string[];
  readonly dots: readonly { readonly x: number; readonly y: number }[];
}

/** Draws a line over the height through the values of a cable, from its lowest to its highest value. */
export function profileLine(values: readonly (number | null)[], { widthPx, rowPx }: Size): ProfileLine {
  const known = values.filter((value) => value !== null);
  const min = Math.min(...known);
  const span = Math.max(...known) - min;
  const x = (value: number): number =>
    span === 0 ? widthPx / 2 : MARGIN_PX + ((value - min) / span) * (widthPx - 2 * MARGIN_PX);
  const placed = values.map((value, row) =>
    value === null ? null : { x: Math.round(x(value) * 10) / 10, y: row * rowPx + rowPx / 2 },
  );
  const runs: { x: number; y: number }[][] = [[]];
  for (const dot of placed) {
    if (dot === null) runs.push([]);
    else runs.at(-1)?.push(dot);
  }
  return {
    lines: runs.filter((run) => run.length > 1).map((run) => run.map((dot) => `${dot.x},${dot.y}`).join(' ')),
    dots: placed.filter((dot) => dot !== null),
  };
}

/** Moves labels apart that would cover each other, each as little as possible, and keeps their order. */
export function spreadLabels(
  wanted: readonly number[],
  distance: number,
  from: number,
  to: number,
): number[] {
  const order = wanted
    .map((_, index) => index)
    .sort((one, other) => (wanted[one] ?? 0) - (wanted[other] ?? 0));
  const placed = new Array<number>(wanted.length).fill(0);
  let least = from;
  for (const index of order) {
    placed[index] = Math.max(least, wanted[index] ?? 0);
    least = (placed[index] ?? 0) + distance;
  }
  let most = to;
  for (const index of order.toReversed()) {
    placed[index] = Math.min(most, placed[index] ?? 0);
    most = (placed[index] ?? 0) - distance;
  }
  return placed;
}
