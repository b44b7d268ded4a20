import { useConsole } from '../../console.ts';
import { formatNumber } from '../../format/numbers.ts';
import { formatDuration } from '../../format/times.ts';
import { locale, texts } from '../../texts/texts.ts';
import type { Figures } from './figures.ts';

const MEBIBYTE = 1_024 * 1_024;

export function FigureList({ figures }: { readonly figures: Figures }) {
  const { clock } = useConsole().live.site;
  const { figureNames } = texts.value.health;
  const number = (value: number | null, decimals = 0): string | null =>
    value === null ? null : formatNumber(value, decimals, locale.value);
  const pair = (values: readonly [number, number] | null): string | null =>
    values === null ? null : `${number(values[0])}, ${number(values[1])}`;
  const withUnit = (text: string | null, unit: string): string | null =>
    text === null ? null : `${text} ${unit}`;
  const { startedAtMs, memoryBytes } = figures;
  const rows: readonly (readonly [title: string, text: string | null])[] = [
    [figureNames.version, figures.version],
    [figureNames.node, figures.node],
    [figureNames.storage, figures.storage],
    [figureNames.running, startedAtMs === null ? null : formatDuration(clock.nowMs.value - startedAtMs)],
    [figureNames.devices, number(figures.connectedDevices)],
    [figureNames.readings, number(figures.readings)],
    [figureNames.queued, number(figures.queuedReadings)],
    [figureNames.commits, number(figures.commits)],
    [figureNames.write, withUnit(number(figures.meanWriteMs, 1), 'ms')],
    [figureNames.events, number(figures.newestEvent)],
    [figureNames.streams, number(figures.streams)],
    [figureNames.webhooks, pair(figures.webhooks)],
    [figureNames.notifications, pair(figures.notifications)],
    [figureNames.memory, withUnit(number(memoryBytes === null ? null : memoryBytes / MEBIBYTE), 'MiB')],
    [figureNames.delay, withUnit(number(figures.loopDelayMs, 1), 'ms')],
    [figureNames.requests, pair(figures.requests)],
  ];
  return (
    <dl class="fact-list">
      {rows.map(([title, text]) => (
        <Figure key={title} title={title} text={text ?? '–'} />
      ))}
    </dl>
  );
}

const Figure = ({ title, text }: { readonly title: string; readonly text: string }) => (
  <>
    <dt>{title}</dt>
    <dd>{text}</dd>
  </>
);
