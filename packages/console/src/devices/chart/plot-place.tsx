import { effect, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { useConsole } from '../../console.ts';
import { locale, texts } from '../../texts/texts.ts';
import type { Plot, PlotContents, PlottedSensor } from './plot-contents.ts';
import { moved, type TimeRange, zoomed } from './range.ts';

const WHEEL_ZOOM = 0.0025;

interface Props {
  readonly label: string;
  readonly sensors: readonly PlottedSensor[];
  readonly contents: PlotContents;
  /** What is being read, in words; `null` when it is there. */
  readonly reading: string | null;
  readonly range: () => TimeRange;
  readonly onRange: (range: TimeRange) => void;
  readonly onWidth: (px: number) => void;
  readonly onCursor: (index: number | null) => void;
  readonly onKey: (event: KeyboardEvent) => void;
}

const HEIGHT_PX = 320;
const HEIGHT_ON_PHONE_PX = 240;
const PHONE = '(max-width: 700px)';

// Read with this module and not when the chart is drawn first, because its history is read at the same time.
import('./plot.ts').catch(() => undefined);

/** Where the chart is drawn. */
export function PlotPlace({
  label,
  sensors,
  contents,
  reading,
  range,
  onRange,
  onWidth,
  onCursor,
  onKey,
}: Props) {
  const { live, preferences } = useConsole();
  const place = useRef<HTMLDivElement>(null);
  const plot = useSignal<Plot | null>(null);
  const hasFailed = useSignal(false);
  const newest = useRef({ range, onRange });
  newest.current = { range, onRange };

  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    let isClosed = false;
    const height = matchMedia(PHONE).matches ? HEIGHT_ON_PHONE_PX : HEIGHT_PX;
    const observer = new ResizeObserver(() => {
      onWidth(element.clientWidth);
      plot.peek()?.resize(element.clientWidth);
    });
    observer.observe(element);
    import('./plot.ts').then(
      ({ openPlot }) => {
        if (isClosed) return;
        const onSelect = (fromMs: number, toMs: number) =>
          newest.current.onRange({ fromMs, toMs, preset: null });
        const opened = openPlot(element, { sensors, language: locale.peek(), height, onSelect, onCursor });
        followGestures({
          plot: opened,
          range: () => newest.current.range(),
          nowMs: () => live.site.clock.nowMs.peek(),
          onRange: (next) => newest.current.onRange(next),
        });
        plot.value = opened;
      },
      () => {
        hasFailed.value = true;
      },
    );
    return () => {
      isClosed = true;
      observer.disconnect();
      plot.peek()?.close();
    };
  }, []);

  useEffect(() => plot.value?.show(contents), [plot.value, contents]);

  useEffect(() => {
    const redraw = (): void => plot.peek()?.redraw();
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', redraw);
    const unfollow = effect(() => {
      preferences.theme.value;
      queueMicrotask(redraw);
    });
    return () => {
      scheme.removeEventListener('change', redraw);
      unfollow();
    };
  }, []);

  return (
    <div class="device-plot-frame">
      <div
        ref={place}
        class="device-plot"
        role="application"
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys move the time of the chart
        tabIndex={0}
        onKeyDown={onKey}
      />
      {reading !== null && !hasFailed.value && (
        <div class={`device-plot-reading ${plot.value === null ? 'without-axes' : ''}`} role="status">
          <p>{reading}</p>
        </div>
      )}
      {hasFailed.value && <p class="refusal">{texts.value.frame.viewNotLoaded}</p>}
    </div>
  );
}

interface Options {
  readonly plot: Plot;
  readonly range: () => TimeRange;
  readonly nowMs: () => number;
  readonly onRange: (range: TimeRange) => void;
}

/**
 * A finger moves the time and two fingers zoom; the wheel zooms together with Ctrl, as a touchpad sends it for a pinch, so
 * that the page can still be scrolled over the chart.
 */
function followGestures({ plot, range, nowMs, onRange }: Options): void {
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
