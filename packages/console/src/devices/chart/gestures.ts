import type { Plot } from './plot-contents.ts';
import { moved, type TimeRange, zoomed } from './range.ts';

interface Options {
  readonly plot: Plot;
  readonly range: () => TimeRange;
  readonly nowMs: () => number;
  readonly onRange: (range: TimeRange) => void;
}

const WHEEL_ZOOM = 0.0025;

/**
 * A finger moves the time and two fingers zoom; the wheel zooms together with Ctrl, as a touchpad sends it for a pinch, so
 * that the page can still be scrolled over the chart.
 */
export function followGestures({ plot, range, nowMs, onRange }: Options): void {
  const { over } = plot;
  over.style.touchAction = 'pan-y';
  over.addEventListener(
    'wheel',
    (event) => {
      if (event.ctrlKey) {
        event.preventDefault();
        onRange(zoomed(range(), Math.exp(event.deltaY * WHEEL_ZOOM), plot.timeAt(event.clientX), nowMs()));
      } else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        event.preventDefault();
        onRange(moved(range(), event.deltaX / over.clientWidth, nowMs()));
      }
    },
    { passive: false },
  );
  const fingers = new Map<number, number>();
  over.addEventListener('pointerdown', ({ pointerId, pointerType, clientX }) => {
    if (pointerType === 'touch') fingers.set(pointerId, clientX);
  });
  over.addEventListener('pointermove', ({ pointerId, clientX }) => {
    const before = fingers.get(pointerId);
    if (before === undefined) return;
    const other = [...fingers].find(([id]) => id !== pointerId)?.[1];
    fingers.set(pointerId, clientX);
    if (other === undefined) onRange(moved(range(), (before - clientX) / over.clientWidth, nowMs()));
    else {
      const factor = Math.max(20, Math.abs(before - other)) / Math.max(20, Math.abs(clientX - other));
      onRange(zoomed(range(), factor, plot.timeAt((clientX + other) / 2), nowMs()));
    }
  });
  for (const name of ['pointerup', 'pointercancel', 'pointerleave'] as const) {
    over.addEventListener(name, ({ pointerId }) => fingers.delete(pointerId));
  }
}
