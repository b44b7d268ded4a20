import type { Client } from '@granary/client';
import type { ForecastSummary } from '@granary/contract/foresight/forecasts';
import { MINUTE_MS } from '@granary/contract/time';
import { type ReadonlySignal, signal } from '@preact/signals';
import { bushels } from '../context/units.ts';
import type { Live } from '../live/live.ts';

const PAGE_ROWS = 1_000;
/** The interval at which forecasts are read again, because they also change without an event, by less than six hours. */
const READ_EVERY_MS = 5 * MINUTE_MS;
const GATHER_MS = 2_000;

export type Forecasts = ReadonlySignal<ReadonlyMap<string, ForecastSummary>>;

const opened = new WeakMap<Live, Forecasts>();

/** The forecasts of all silos, read in one list and kept current as long as the page is open. */
export function forecastsOf(client: Client, live: Live): Forecasts {
  const known = opened.get(live);
  if (known !== undefined) return known;
  const all = signal<ReadonlyMap<string, ForecastSummary>>(new Map());
  opened.set(live, all);
  const read = async (): Promise<void> => {
    const found = new Map<string, ForecastSummary>();
    let cursor: string | null = null;
    do {
      const query = { limit: PAGE_ROWS, ...(cursor === null ? {} : { cursor }) };
      const page: Awaited<ReturnType<typeof client.foresight.forecasts>> =
        await client.foresight.forecasts(query);
      for (const forecast of page.data) found.set(forecast.device_id, forecast);
      cursor = page.page.next_cursor;
    } while (cursor !== null);
    all.value = found;
    bushels.value = new Map(
      [...found].flatMap(([id, { bushel_kg }]) => (bushel_kg === null ? [] : [[id, bushel_kg]])),
    );
  };
  // The shown forecasts stay when they cannot be read; the page says that it is not live.
  const refresh = (): void => void read().catch(() => undefined);
  let isGathering = false;
  live.onEvent(({ type }) => {
    if (isGathering || !/^(forecast|refill|configuration)\./.test(type)) return;
    isGathering = true;
    setTimeout(() => {
      isGathering = false;
      refresh();
    }, GATHER_MS);
  });
  setInterval(refresh, READ_EVERY_MS);
  refresh();
  return all;
}
