import './orders-view.css';
import type { ForecastSummary } from '@granary/contract/foresight/forecasts';
import type { OrderLine, OrderList } from '@granary/contract/foresight/refills';
import { DAY_MS } from '@granary/contract/time';
import { useConsole } from '../context/console.ts';
import { addressOf } from '../context/routes.ts';
import { shownAs } from '../context/units.ts';
import { Button } from '../kit/button.tsx';
import { download } from '../kit/download.ts';
import { EmptyState } from '../kit/empty-state.tsx';
import { FilterBar, NumbersFilter, SelectFilter } from '../kit/filter-bar.tsx';
import { useAction } from '../kit/form-state.ts';
import { formatMass, unitSymbol, zoneOf } from '../kit/format.ts';
import { LastKnown } from '../kit/measured.tsx';
import { Failure, Notice } from '../kit/messages.tsx';
import { Table } from '../kit/table.tsx';
import { useEventReload, useLoaded } from '../kit/use-loaded.ts';
import { locale, texts } from '../texts.ts';
import { emptySentence, inZone, orderSentence, timeAhead } from './forecast-words.ts';
import { forecastsOf } from './forecasts.ts';

const DAYS = [3, 7, 14] as const;
const DAYS_DEFAULT = 7;
const DAYS_MAX = 365;

/** Shows what to order, for which silos and by when, for a phone in the yard and a desk at the mill. */
export function OrdersView() {
  const { client, live, navigation } = useConsole();
  const { foresight: words, common } = texts.value;
  const { query } = navigation.route.value;
  const days = daysOf(query.get('days'));
  const compartments = query.get('compartments') ?? '';
  const nowMs = live.site.clock.nowMs.peek();
  const asked = {
    until: new Date(nowMs + days * DAY_MS).toISOString(),
    ...(compartments === '' ? {} : { compartments }),
  };
  const list = useLoaded((signal) => client.foresight.orderList(asked, { signal }), [days, compartments]);
  useEventReload(['forecast.', 'refill.', 'configuration.'], list.reload);
  const { run } = useAction();
  const forecasts = forecastsOf(client, live).value;
  return (
    <div class="orders-view">
      <h1>{words.ordersTitle}</h1>
      <FilterBar names={['days', 'compartments']}>
        <SelectFilter
          name="days"
          label={words.until}
          any={words.untilDays({ days: DAYS_DEFAULT })}
          anyValue={String(DAYS_DEFAULT)}
          options={[...new Set([...DAYS, days])]
            .filter((one) => one !== DAYS_DEFAULT)
            .map((one) => [String(one), words.untilDays({ days: one })])}
        />
        <NumbersFilter
          name="compartments"
          label={`${common.inUnit({ name: words.compartments, unit: unitSymbol(shownAs('kg', null).unit) })} (${words.compartmentsHint})`}
          unit="kg"
        />
        <Button onPress={() => void run(() => saveCsv(asked))}>CSV</Button>
      </FilterBar>
      <Failure of={list.failure} />
      {list.value === undefined && list.failure === null && <Notice>{texts.value.shell.loading}</Notice>}
      {list.value !== undefined && <Lines list={list.value} nowMs={nowMs} />}
      {list.value !== undefined && <Loads list={list.value} />}
      <section class="panel" aria-label={words.allSilos}>
        <h2>{words.allSilos}</h2>
        <AllSilos forecasts={[...forecasts.values()]} nowMs={nowMs} />
      </section>
    </div>
  );
}

/** The number of days in the address, which can be any number. */
function daysOf(text: string | null): number {
  const days = Number(text);
  return text !== null && Number.isInteger(days) && days >= 1 && days <= DAYS_MAX ? days : DAYS_DEFAULT;
}

/** Saves the list as CSV for the mill, with a request of its own because the client reads JSON only. */
async function saveCsv(query: Readonly<Record<string, string>>): Promise<void> {
  const answer = await fetch(`/v1/order-list?${new URLSearchParams(query)}`, {
    headers: { accept: 'text/csv' },
  });
  if (answer.ok) download('orders.csv', await answer.text());
}

/** Shows the lines by place and product, each with its sum, as the mill takes the order. */
function Lines({ list, nowMs }: { readonly list: OrderList; readonly nowMs: number }) {
  const words = texts.value.foresight;
  const reading = { nowMs, language: locale.value, words };
  if (list.lines.length === 0) return <EmptyState drawing="silo" title={words.ordersEmpty} />;
  return (
    <div class="orders-groups">
      {list.totals.map(({ facility, product, silos, kg, kg_per_day }) => {
        const lines = list.lines.filter((line) => line.facility === facility && line.product === product);
        // Silos of one product have the same bushel.
        const mass = (sum: number): string => formatMass(sum, locale.value, lines[0]?.device_id);
        return (
          <section key={`${facility} ${product}`} class="panel" aria-label={`${facility} ${product ?? ''}`}>
            <h2 class="free-text">
              {facility} · {product ?? words.noProduct}
            </h2>
            <p class="orders-sum">
              <strong>{mass(kg)}</strong>
              <span class="muted">
                {' '}
                · {words.silos({ count: silos })} · {words.perDay({ mass: mass(kg_per_day) })}
              </span>
            </p>
            <ul class="orders-lines">
              {lines.map((line) => (
                <OrderRow key={line.device_id} line={line} reading={{ ...reading, timeZone: zoneOf(line) }} />
              ))}
            </ul>
          </section>
        );
      })}
    </div>
  );
}

interface OrderRowProps {
  readonly line: OrderLine;
  readonly reading: Parameters<typeof timeAhead>[1];
}

function OrderRow({ line, reading }: OrderRowProps) {
  const { words } = reading;
  const order = orderSentence({ status: 'ok', empty: null, order_by: line.order_by }, reading);
  const isLate = Date.parse(line.order_by) <= reading.nowMs;
  return (
    <li>
      <a class="device-name free-text" href={addressOf('devices', line.device_id, { tab: 'forecast' })}>
        {line.name}
      </a>
      <strong>{formatMass(line.kg, locale.value, line.device_id)}</strong>
      <span class={isLate ? 'orders-late' : ''}>
        <LastKnown>{order}</LastKnown>
      </span>
      <span class="muted">
        {inZone(
          words.deliverBetween({
            from: timeAhead(line.deliver_between.from, reading),
            to: timeAhead(line.deliver_between.to, reading),
          }),
          reading,
        )}
        {line.empty_p50 !== null && ` · ${words.empty({ when: timeAhead(line.empty_p50, reading) })}`}
      </span>
    </li>
  );
}

/** Shows the proposal for the compartments of a truck, and the orders that do not fit. */
function Loads({ list: { loads, not_loaded } }: { readonly list: OrderList }) {
  const { live } = useConsole();
  const words = texts.value.foresight;
  const nameOf = (deviceId: string): string => live.site.devices.nameOf(deviceId);
  if (loads === null) return null;
  return (
    <section class="panel" aria-label={words.loads}>
      <h2>{words.loads}</h2>
      <ul class="orders-lines">
        {loads.map(({ truck, compartment, capacity_kg, product, kg, device_ids }) => (
          <li key={`${truck} ${compartment}`}>
            <span>{words.truck({ truck, compartment })}</span>
            <strong>{`${formatMass(kg, locale.value, device_ids[0])} / ${formatMass(capacity_kg, locale.value, device_ids[0])}`}</strong>
            <span class="free-text">{product ?? words.noProduct}</span>
            <span class="muted free-text">{device_ids.map(nameOf).join(', ')}</span>
          </li>
        ))}
        {not_loaded.map(({ device_id, kg }) => (
          <li key={device_id} class="orders-late">
            {words.notLoaded({ name: nameOf(device_id), mass: formatMass(kg, locale.value, device_id) })}
          </li>
        ))}
      </ul>
    </section>
  );
}

interface AllSilosProps {
  readonly forecasts: readonly ForecastSummary[];
  readonly nowMs: number;
}

function AllSilos({ forecasts, nowMs }: AllSilosProps) {
  const { navigation } = useConsole();
  const words = texts.value.foresight;
  const readingOf = (forecast: ForecastSummary) => ({
    nowMs,
    language: locale.value,
    words,
    timeZone: zoneOf(forecast),
  });
  const addressOfSilo = (deviceId: string): string => addressOf('devices', deviceId, { tab: 'forecast' });
  const mass = (kg: number | null | undefined, deviceId: string): string =>
    kg === null || kg === undefined ? '–' : formatMass(kg, locale.value, deviceId);
  return (
    <Table
      label={words.allSilos}
      rows={forecasts}
      idOf={({ device_id }) => device_id}
      onOpen={({ device_id }) => navigation.open(addressOfSilo(device_id))}
      columns={[
        {
          name: 'silo',
          title: words.silo,
          kind: 'title',
          sortBy: ({ name }) => name,
          cell: ({ device_id, name, location }) => (
            <a class="free-text" href={addressOfSilo(device_id)}>
              {name} · {location.facility}
            </a>
          ),
        },
        {
          name: 'product',
          title: words.product,
          sortBy: ({ product }) => product,
          cell: ({ product }) => <span class="free-text">{product ?? '–'}</span>,
        },
        {
          name: 'level',
          title: words.level,
          sortBy: ({ level_kg }) => level_kg,
          cell: ({ level_kg, device_id }) => mass(level_kg, device_id),
        },
        {
          name: 'use',
          title: words.use,
          sortBy: ({ use }) => use?.kg_per_day ?? null,
          cell: ({ use, device_id }) => mass(use?.kg_per_day, device_id),
        },
        {
          name: 'empty',
          title: words.emptyAt,
          sortBy: ({ empty }) => empty?.p50 ?? null,
          cell: (forecast) => <LastKnown>{emptySentence(forecast, readingOf(forecast))}</LastKnown>,
        },
        {
          name: 'order_by',
          title: words.orderByTitle,
          sortBy: ({ order_by }) => order_by,
          cell: (forecast) => orderSentence(forecast, readingOf(forecast)) ?? '–',
        },
      ]}
    />
  );
}
