import { useConsole } from '../../console.ts';
import { formatTime } from '../../format/times.ts';
import { Button } from '../../parts/button.tsx';
import { locale, texts } from '../../texts/texts.ts';
import { csvName, csvOf } from './csv.ts';
import type { SensorHistory } from './load-history.ts';
import { addressOfPreset, moved, PRESET_NAMES, type TimeRange, zoomed } from './range.ts';

interface Props {
  readonly range: TimeRange;
  readonly histories: readonly SensorHistory[];
  readonly deviceId: string;
  readonly onRange: (range: TimeRange) => void;
}

/** Which time the chart shows. */
export function ChartToolbar({ range, histories, deviceId, onRange }: Props) {
  const { live, navigation } = useConsole();
  const { devices } = texts.value;
  const nowMs = live.site.clock.nowMs.peek();
  const middle = (range.fromMs + range.toMs) / 2;
  const shown = (ms: number): string => formatTime(ms, nowMs, locale.value);
  return (
    <div class="device-chart-toolbar">
      <fieldset class="device-segments" aria-label={devices.timeRange}>
        {PRESET_NAMES.map((preset) => (
          <button
            key={preset}
            type="button"
            aria-pressed={range.preset === preset}
            onClick={() => navigation.filter(addressOfPreset(preset))}
          >
            {devices.presets[preset]}
          </button>
        ))}
      </fieldset>
      {range.preset === null && (
        <p class="device-chart-range muted">{`${shown(range.fromMs)} – ${shown(range.toMs)}`}</p>
      )}
      <fieldset class="device-segments" aria-label={devices.moveTime}>
        <button
          type="button"
          aria-label={devices.earlier}
          title={devices.earlier}
          onClick={() => onRange(moved(range, -0.5, nowMs))}
        >
          ←
        </button>
        <button
          type="button"
          aria-label={devices.zoomOut}
          title={devices.zoomOut}
          onClick={() => onRange(zoomed(range, 2, middle, nowMs))}
        >
          −
        </button>
        <button
          type="button"
          aria-label={devices.zoomIn}
          title={devices.zoomIn}
          onClick={() => onRange(zoomed(range, 0.5, middle, nowMs))}
        >
          +
        </button>
        <button
          type="button"
          aria-label={devices.later}
          title={devices.later}
          onClick={() => onRange(moved(range, 0.5, nowMs))}
        >
          →
        </button>
      </fieldset>
      <Button
        isDisabled={histories.length === 0}
        onPress={() => download(csvName(deviceId, histories, range), csvOf(histories))}
      >
        CSV
      </Button>
    </div>
  );
}

function download(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
