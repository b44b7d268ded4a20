import type { Point } from '@granary/contract/positions';
import { screenOf, type Viewport } from './projection.ts';

/** The points as the outline of an SVG path. */
export const pathOf = (points: readonly Point[], view: Viewport): string =>
  points
    .map((point, index) => {
      const { x, y } = screenOf(point, view);
      return `${index === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`;
    })
    .join('');
