import '../../kit/segments.css';
import { set } from '../../kit/set.ts';
import './chart.css';
import type { FleetDevice } from '@granary/contract/fleet';
import type { DeviceConfiguration } from '@granary/contract/profiles/profiles';
import { DAY_MS } from '@granary/contract/time';
import { type Signal, useComputed, useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { useConsole, useIsLost, useScope } from '../../context/console.ts';
import { bushels, units } from '../../context/units.ts';
import { Button } from '../../kit/button.tsx';
import { download } from '../../kit/download.ts';
import { formatDuration, formatTime } from '../../kit/format.ts';
import { Failure } from '../../kit/messages.tsx';
import { timeText } from '../../kit/sentences.ts';
import { useEventReload, useLoaded } from '../../kit/use-loaded.ts';
import { language, locale, texts } from '../../texts.ts';
import { lineKey, type ShownSensor } from '../facts/sensors.ts';
import {
  type ChartMarks,
  csvName,
  csvOf,
  loadHistory,
  loadMarks,
  loadUsual,
  type SensorHistory,
  type UsualValue,
} from './chart-data.ts';
import {
  addressOfPreset,
  addressOfRange,
  moved,
  PRESET_NAMES,
  rangeOf,
  SERIES_COLOURS,
  selectedSensors,
  type TimeRange,
  zoomed,
} from './chart-selection.ts';
import { useNewestOperations } from './followed-operations.ts';
import { chartContents, lineUnit, type PlotContents, type PlotCursor } from './plot-contents.ts';
import { ChartLegend, ChartReadout, lineName, PlotPlace } from './plot-place.tsx';
import { Timeline } from './timeline.tsx';

const STEP_MS = 60_000;
/** Over a longer time a weekday cannot be recognised. */
const USUAL_RANGE_MAX_MS = 7.1 * DAY_MS;
const ADDRESS_AFTER_MS = 150;
const NO_HISTORIES: readonly SensorHistory[] = [];
const NOTHING_MARKED: ChartMarks = { operations: [], alerts: [], notes: [], refills: [], changes: [] };

interface Props {
  readonly device: FleetDevice;
  readonly sensors: readonly ShownSensor[];
  /** `undefined` until the configuration was read; the thresholds are then drawn later. */
  readonly configuration: DeviceConfiguration | undefined;
  /** Set to true when the line was read or could not be read; the other reads of the page wait for this. */
  readonly hasLine: Signal<boolean>;
}

/** Draws what the sensors measured, with thresholds, operations and alerts on the same time axis. */
export function HistoryChart({ device, sensors, configuration, hasLine }: Props) {
  const { live, navigation } = useConsole();
  const { devices } = texts.value;
  const { query } = navigation.route.value;
  const minuteMs = useComputed(() => Math.ceil(live.site.clock.nowMs.value / STEP_MS) * STEP_MS).value;
  const comparable = useComparable(device);
  const compared = comparable.find(({ device_id }) => device_id === query.get('with'));
  const selected = comparedSensors(selectedSensors(query, sensors), compared);
  const ids = selected.map(lineKey).join();
  const lines = selected.map((sensor) => ({ ...sensor, unit: lineUnit(sensor, device.device_id).unit }));
  const named = rangeOf(query, minuteMs);
  const isUsualOffered = named.toMs - named.fromMs <= USUAL_RANGE_MAX_MS;
  const width = useSignal(usualWidth());
  const cursor = useSignal<PlotCursor | null>(null);
  const { range, rangeNow, setRange } = useMovedRange(named);
  const isLive = !useIsLost();
  const { histories, usual, marks } = useChartReads(device, selected, named, width.value, hasLine, {
    isUsualShown: isUsualOffered && query.get('usual') === 'on',
    isLive,
  });
  const listed = marks.value ?? NOTHING_MARKED;
  const operations = useNewestOperations(device.device_id, listed.operations, named);
  const shownMarks = useMemo(() => ({ ...listed, operations }), [listed, operations]);
  // Until the histories of a new selection have arrived, those of the old one have other columns.
  const isOfSelection = histories.value?.map(({ sensor }) => lineKey(sensor)).join() === ids;
  const ofSelection = isOfSelection ? (histories.value ?? NO_HISTORIES) : NO_HISTORIES;
  const contents = useContents(device, ofSelection, shownMarks, usual.value, configuration, range);
  const shown = { selected: lines, histories: histories.value ?? [], contents, marks: shownMarks, cursor };
  return (
    <section class="panel device-chart" aria-label={devices.history} aria-busy={histories.isLoading}>
      <ChartToolbar
        range={range}
        histories={shown.histories}
        deviceId={device.device_id}
        onRange={setRange}
      />
      <div class="device-chart-lines">
        <ChartLegend selected={selected} hasUsual={(usual.value ?? []).length > 1} />
        <ChartComparisons
          comparable={comparable}
          isListed={marks.value !== undefined || compared !== undefined}
          isUsualOffered={isUsualOffered}
        />
      </div>
      {isLive && <Failure of={histories.failure} />}
      <PlotPlace
        key={`${ids} ${language.value} ${lines.map(({ unit }) => unit).join()}`}
        label={devices.chartOf({ sensors: selected.map(lineName).join(', ') })}
        sensors={lines.map(({ unit, id }, index) => ({
          unit,
          colour: SERIES_COLOURS[index] ?? SERIES_COLOURS[0],
          isShare: id === 'level' || id === 'battery_level',
        }))}
        contents={contents}
        reading={
          isOfSelection || histories.failure !== null ? null : devices.reading({ time: wordOf(range) })
        }
        range={rangeNow}
        onRange={setRange}
        onWidth={(px) => set(width, px)}
        onCursor={(next) => set(cursor, next)}
        onKey={(event) => moveByKey(event, range, live.site.clock.nowMs.peek(), setRange)}
      >
        <ChartReadout {...shown} />
      </PlotPlace>
      {isOfSelection && histories.value?.every(({ buckets }) => buckets.length === 0) === true && (
        <p class="muted">{devices.nothingMeasured}</p>
      )}
      <Timeline deviceId={device.device_id} marks={shownMarks} reload={marks.reload} />
    </section>
  );
}

/** What is drawn. It is made again only when one of its parts has changed. */
function useContents(
  { device_id: deviceId, readings }: FleetDevice,
  histories: readonly SensorHistory[],
  marks: ChartMarks,
  usual: readonly UsualValue[] | undefined,
  configuration: DeviceConfiguration | undefined,
  range: TimeRange,
): PlotContents {
  const { live } = useConsole();
  const words = texts.value.devices.thresholds;
  return useMemo(
    () =>
      chartContents(
        {
          deviceId,
          histories,
          marks,
          configuration,
          range,
          nowMs: live.site.clock.nowMs.peek(),
          readings: readings ?? {},
          usual: usual ?? [],
        },
        words,
      ),
    [
      histories,
      marks,
      usual,
      configuration,
      range.fromMs,
      range.toMs,
      readings,
      words,
      units.value,
      bushels.value,
    ],
  );
}

/** The range of the address. While a person moves the time, the range is already the new one; the address follows a moment later. */
function useMovedRange(named: TimeRange) {
  const { navigation } = useConsole();
  const moving = useSignal<TimeRange | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return {
    range: moving.value ?? named,
    rangeNow: () => moving.peek() ?? named,
    setRange: (next: TimeRange): void => {
      moving.value = next;
      clearTimeout(timer.current);
      timer.current = setTimeout(() => {
        navigation.filter(addressOfRange(next));
        moving.value = null;
      }, ADDRESS_AFTER_MS);
    },
  };
}

interface ReadOptions {
  readonly isUsualShown: boolean;
  readonly isLive: boolean;
}

/** Reads the lines first, and afterwards the events beside them. */
function useChartReads(
  { device_id, group, profile }: FleetDevice,
  selected: readonly ShownSensor[],
  range: TimeRange,
  widthPx: number,
  hasLine: Signal<boolean>,
  { isUsualShown, isLive }: ReadOptions,
) {
  const { client } = useConsole();
  const place = { device_id, group, profile };
  const inputs = [device_id, range.fromMs, range.toMs, isLive];
  const ids = selected.map(lineKey).join();
  const [first] = selected;
  const histories = useLoaded(
    (signal) =>
      Promise.all(selected.map((sensor) => loadHistory(client, place, sensor, range, widthPx, signal))),
    [...inputs, ids, Math.ceil(widthPx / 200)],
  );
  const usual = useLoaded(
    async (signal) =>
      isUsualShown && first !== undefined ? await loadUsual(client, place, first, range, signal) : [],
    [...inputs, ids, isUsualShown],
  );
  const isThere = histories.value !== undefined || histories.failure !== null;
  useEffect(() => {
    if (isThere) hasLine.value = true;
  }, [isThere]);
  const mayReadChanges = useScope('admin');
  const marks = useLoaded(
    hasLine.value ? (signal) => loadMarks(client, place, range, mayReadChanges, signal) : null,
    inputs,
  );
  useEventReload(['note.', 'configuration.', 'refill.', 'operation.', 'alert.'], marks.reload, device_id);
  return { histories, usual, marks };
}

function moveByKey(
  event: KeyboardEvent,
  range: TimeRange,
  nowMs: number,
  setRange: (range: TimeRange) => void,
): void {
  const middle = (range.fromMs + range.toMs) / 2;
  const next = {
    ArrowLeft: () => moved(range, -0.25, nowMs),
    ArrowRight: () => moved(range, 0.25, nowMs),
    '+': () => zoomed(range, 0.5, middle, nowMs),
    '-': () => zoomed(range, 2, middle, nowMs),
  }[event.key];
  if (next === undefined) return;
  event.preventDefault();
  setRange(next());
}

/** The devices of the same profile, which have the same sensors. */
function useComparable({ device_id, profile }: FleetDevice): readonly FleetDevice[] {
  const all = useConsole().live.site.devices.all.value;
  return useMemo(
    () =>
      [...all.values()]
        .map((device) => device.peek())
        .filter((other) => other.profile === profile && other.device_id !== device_id),
    [all, device_id, profile],
  );
}

/** The first sensor of other devices beside those of this one, while colours are left. */
function comparedSensors(
  selected: readonly ShownSensor[],
  compared: FleetDevice | undefined,
): readonly ShownSensor[] {
  const [first] = selected;
  if (compared === undefined || first === undefined) return selected;
  return [...selected.slice(0, SERIES_COLOURS.length - 1), { ...first, compared }];
}

interface ChartComparisonsProps {
  readonly comparable: readonly FleetDevice[];
  /** True when the list of devices may be drawn: it comes after everything else, because there may be a thousand. */
  readonly isListed: boolean;
  readonly isUsualOffered: boolean;
}

/** Chooses what the line is compared with: another device, or the same weekday of earlier weeks. */
function ChartComparisons({ comparable, isListed, isUsualOffered }: ChartComparisonsProps) {
  const { live, navigation } = useConsole();
  const { devices } = texts.value;
  const { query } = navigation.route.value;
  // The list is not made again when the chart is drawn, which happens with each value of the device.
  const options = useMemo(
    () =>
      isListed &&
      comparable.map(({ device_id }) => (
        <option key={device_id} value={device_id}>
          {live.site.devices.nameOf(device_id)}
        </option>
      )),
    [comparable, isListed],
  );
  return (
    <div class="device-chart-comparisons">
      {isUsualOffered && (
        <label class="device-chart-usual">
          <input
            type="checkbox"
            checked={query.get('usual') === 'on'}
            onChange={({ currentTarget: { checked } }) =>
              navigation.filter({ usual: checked ? 'on' : undefined })
            }
          />
          {devices.usual}
        </label>
      )}
      {comparable.length > 0 && (
        <select
          aria-label={devices.compareWith}
          value={query.get('with') ?? ''}
          onChange={({ currentTarget: { value } }) => navigation.filter({ with: value || undefined })}
        >
          <option value="">{devices.compareWith}</option>
          {options}
        </select>
      )}
    </div>
  );
}

interface ChartToolbarProps {
  readonly range: TimeRange;
  readonly histories: readonly SensorHistory[];
  readonly deviceId: string;
  readonly onRange: (range: TimeRange) => void;
}

/** Chooses the range that the chart shows. */
function ChartToolbar({ range, histories, deviceId, onRange }: ChartToolbarProps) {
  const { live, navigation } = useConsole();
  const { devices } = texts.value;
  const nowMs = live.site.clock.nowMs.peek();
  const middle = (range.fromMs + range.toMs) / 2;
  const moves = [
    ['←', devices.earlier, moved(range, -0.5, nowMs)],
    ['−', devices.zoomOut, zoomed(range, 2, middle, nowMs)],
    ['+', devices.zoomIn, zoomed(range, 0.5, middle, nowMs)],
    ['→', devices.later, moved(range, 0.5, nowMs)],
  ] as const;
  return (
    <div class="device-chart-toolbar">
      <fieldset class="segments" aria-label={devices.timeRange}>
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
        <p class="device-chart-range muted">{`${formatTime(range.fromMs, nowMs, locale.value)} – ${timeText(range.toMs, nowMs)}`}</p>
      )}
      <fieldset class="segments" aria-label={devices.moveTime}>
        {moves.map(([sign, name, next]) => (
          <button key={sign} type="button" aria-label={name} title={name} onClick={() => onRange(next)}>
            {sign}
          </button>
        ))}
      </fieldset>
      <Button
        isDisabled={histories.length === 0}
        onPress={() => download(csvName(deviceId, histories, range), csvOf(deviceId, histories))}
      >
        CSV
      </Button>
    </div>
  );
}

/** The width of a chart before it is drawn, so that its history is read at the same time as its code. */
const usualWidth = (): number => Math.max(280, innerWidth > 1_100 ? innerWidth - 700 : innerWidth - 64);

/** The name of a range for a person. */
const wordOf = ({ preset, fromMs, toMs }: TimeRange): string =>
  preset === null ? formatDuration(toMs - fromMs) : texts.value.devices.presets[preset];
