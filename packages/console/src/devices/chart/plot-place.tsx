import { effect, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { useConsole } from '../../console.ts';
import { locale, texts } from '../../texts/texts.ts';
import { followGestures } from './gestures.ts';
import type { Plot, PlotContents, PlottedSensor } from './plot-contents.ts';
import type { TimeRange } from './range.ts';

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
