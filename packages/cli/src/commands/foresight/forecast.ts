import { ownZone } from '@granary/common/time-text';
import type { Forecast, ForecastStatus, ForecastSummary } from '@granary/contract/foresight/forecasts';
import type { OrderLine, Refill } from '@granary/contract/foresight/refills';
import { HOUR_MS } from '@granary/contract/time';
import { type AccessValues, accessClient } from '../../access/service-access.ts';
import type { Define } from '../../program/environment.ts';
import { given, withAccess, withExamples } from '../../program/options.ts';
import { timeOrAge, timestamp } from '../../program/times.ts';
import { outputOf } from '../../terminal/output.ts';
import { isOtherZone, localTime, reasonText } from '../../terminal/sentences.ts';
import { type Column, csvLine } from '../../terminal/table.ts';
import { numberText } from '../devices/device-texts.ts';

/** Times that are further away are shown by the day only. */
const BY_THE_HOUR_MS = 48 * HOUR_MS;

const kilograms = (kg: number | null): string => (kg === null ? '-' : `${numberText(Math.round(kg))} kg`);

/** A time with the precision that it has: the hour within the next two days, the day later. */
function roughTime(time: string | null, nowMs: number, timeZone: string): string {
  if (time === null) return '-';
  const isSoon = Date.parse(time) - nowMs < BY_THE_HOUR_MS;
  const text = localTime(time, timeZone);
  return isSoon ? `${text.slice(0, 13)}:00` : text.slice(0, 10);
}

const STATUSES: Readonly<Record<ForecastStatus, string>> = {
  ok: 'not in the next 30 days',
  learning: 'not known yet: learning',
  not_in_use: 'not in use',
  stale: 'not known: the level is old',
  unpredictable: 'no date can be given',
  empty: 'now',
};

const emptyText = ({
  status,
  empty,
  made_at,
  time_zone,
}: Pick<Forecast, 'status' | 'empty' | 'made_at' | 'time_zone'>): string => {
  if (empty === null) return STATUSES[status];
  const nowMs = Date.parse(made_at);
  const [early, late] = [roughTime(empty.p10, nowMs, time_zone), roughTime(empty.p90, nowMs, time_zone)];
  if (empty.p50 === null) return empty.p10 === null ? STATUSES[status] : `not before ${early}`;
  const middle = roughTime(empty.p50, nowMs, time_zone);
  return early === late ? middle : `${middle} (${early} to ${late})`;
};

const COLUMNS: readonly Column<ForecastSummary>[] = [
  { title: 'SILO', text: ({ device_id }) => device_id },
  { title: 'PRODUCT', text: ({ product }) => product ?? '-' },
  { title: 'LEVEL', text: ({ level_kg }) => kilograms(level_kg) },
  { title: 'USE A DAY', text: ({ use }) => kilograms(use?.kg_per_day ?? null) },
  { title: 'EMPTY', text: emptyText },
  {
    title: 'ORDER BY',
    text: ({ order_by, time_zone }) => (order_by === null ? '-' : localTime(order_by, time_zone)),
  },
];

/** Adds the zone where the clocks of a silo differ from that of the terminal. */
const withZone = <Row extends { readonly time_zone: string }>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): readonly Column<Row>[] =>
  rows.some(({ time_zone }) => isOtherZone(time_zone))
    ? [...columns, { title: 'TIME ZONE', text: ({ time_zone }) => time_zone }]
    : columns;

interface ListValues extends AccessValues {
  readonly facility?: string;
  readonly product?: string;
}

export const forecast: Define = (command, environment) => {
  command
    .argument('[device_id]')
    .description('Shows when silos run empty and by when to order; of one silo also why.')
    .option('--facility <name>', 'only silos of this facility')
    .option('--product <name>', 'only silos with this product');
  withExamples(
    command,
    'granary forecast',
    'granary forecast silo-01',
    'granary forecast --facility north --json',
  );
  withAccess(command).action(async (deviceId: string | undefined, values: ListValues) => {
    const client = accessClient(values, environment.env);
    const output = outputOf(environment, values.json);
    if (deviceId !== undefined) {
      const made = await client.foresight.forecast(deviceId);
      return output.one(made, () => forecastText(made));
    }
    const { facility, product } = values;
    const found = await Array.fromAsync(client.foresight.forecastsAll(given({ facility, product })));
    output.list(withZone(COLUMNS, found), found, 'No silo has a forecast yet.');
  });
};

function forecastText(made: Forecast): string {
  const nowMs = Date.parse(made.made_at);
  const { suggestion, score, time_zone } = made;
  const lines = [
    `Empty: ${emptyText(made)}`,
    `Level: ${kilograms(made.level_kg)}, usable ${kilograms(made.usable_kg)}`,
    ...(made.order_by === null ? [] : [`Order by: ${localTime(made.order_by, time_zone)}`]),
    ...(suggestion === null
      ? []
      : [
          `Suggestion: ${kilograms(suggestion.kg)} between ${roughTime(suggestion.deliver_between.from, nowMs, time_zone)} and ${roughTime(suggestion.deliver_between.to, nowMs, time_zone)}`,
        ]),
    ...made.reasons.map((reason) => `  ${reasonText(reason, time_zone)}`),
    ...(score === null
      ? []
      : [
          `Its last ${score.forecasts} forecasts for ${score.horizon_days} days were off by ${score.mean_error_h} h on average, ${score.inside_percent} % inside the range.`,
        ]),
    ...(isOtherZone(time_zone) ? [`Times are those of ${time_zone}.`] : []),
  ];
  return lines.join('\n');
}

const ORDER_COLUMNS: readonly Column<OrderLine>[] = [
  { title: 'ORDER BY', text: ({ order_by, time_zone }) => localTime(order_by, time_zone) },
  { title: 'FACILITY', text: ({ facility }) => facility },
  { title: 'SILO', text: ({ device_id }) => device_id },
  { title: 'PRODUCT', text: ({ product }) => product ?? '-' },
  { title: 'AMOUNT', text: ({ kg }) => kilograms(kg) },
  {
    title: 'DELIVER',
    text: ({ deliver_between: { from, to }, time_zone }) =>
      `${localTime(from, time_zone)} to ${localTime(to, time_zone)}`,
  },
];

interface OrderValues extends AccessValues {
  readonly until?: string;
  readonly facility?: string;
  readonly product?: string;
  readonly compartments?: string;
  readonly csv?: boolean;
}

export const orders: Define = (command, environment) => {
  command
    .description('Lists what to order, for which silos and by when.')
    .option('--until <time>', 'silos to be ordered for before this time, ISO 8601 (in 7 days)', timestamp)
    .option('--facility <name>', 'only silos of this facility')
    .option('--product <name>', 'only silos with this product')
    .option('--compartments <kg,kg,…>', 'how it fits into the compartments of a truck')
    .option('--csv', 'CSV');
  withExamples(
    command,
    'granary orders',
    'granary orders --csv > orders.csv',
    'granary orders --compartments 8000,6000',
  );
  withAccess(command).action(async (values: OrderValues) => {
    const { until, facility, product, compartments } = values;
    const query = given({ until, facility, product, compartments });
    const list = await accessClient(values, environment.env).foresight.orderList(query);
    const output = outputOf(environment, values.json);
    if (values.csv === true) return environment.print(csvOf(list.lines));
    if (output.isJson) return output.one(list, () => '');
    output.list(withZone(ORDER_COLUMNS, list.lines), list.lines, 'Nothing has to be ordered until then.');
    for (const { compartment, capacity_kg, product: name, kg, device_ids } of list.loads ?? []) {
      environment.print(
        `Compartment ${compartment} (${kilograms(capacity_kg)}): ${kg === 0 ? 'empty' : `${kilograms(kg)} ${name ?? ''} for ${device_ids.join(', ')}`}`,
      );
    }
  });
};

const csvOf = (lines: readonly OrderLine[]): string =>
  [
    csvLine(['device_id', 'facility', 'product', 'kg', 'order_by', 'deliver_from', 'deliver_to']),
    ...lines.map(({ device_id, facility, product, kg, order_by, deliver_between: { from, to } }) =>
      csvLine([device_id, facility, product ?? '', kg, order_by, from, to]),
    ),
  ].join('\n');

interface LocalRefill extends Refill {
  readonly time_zone: string;
}

const REFILL_COLUMNS: readonly Column<LocalRefill>[] = [
  { title: 'REFILL', text: ({ refill_id }) => refill_id },
  { title: 'SILO', text: ({ device_id }) => device_id },
  { title: 'BEGAN', text: ({ began_at, time_zone }) => localTime(began_at, time_zone) },
  { title: 'AMOUNT', text: ({ kg }) => kilograms(kg) },
  { title: 'NOTE', text: ({ delivery_note_kg }) => kilograms(delivery_note_kg) },
  { title: 'PRODUCT', text: ({ product }) => product ?? '-' },
  { title: 'FOUND BY', text: ({ source, is_refill }) => (is_refill ? source : 'none, says a person') },
];

interface RefillValues extends AccessValues {
  readonly device?: string;
  readonly facility?: string;
  readonly since?: string;
}

export const refills: Define = (command, environment) => {
  command
    .description('Lists the refills of silos, the newest first.')
    .option('--device <id>', 'only those of this silo')
    .option('--facility <name>', 'only those of this facility')
    .option('--since <time>', 'the last 7d, …, or since a date such as 2026-11-15', timeOrAge);
  withExamples(command, 'granary refills --since 30d', 'granary refills --device silo-01 --json');
  withAccess(command).action(async (values: RefillValues) => {
    const { device, facility, since } = values;
    const query = given({ device_id: device, facility, from: since });
    const { foresight } = accessClient(values, environment.env);
    const found = await Array.fromAsync(foresight.refillsAll(query));
    const output = outputOf(environment, values.json);
    const none = 'There are no such refills.';
    if (output.isJson) return output.list([], found, none);
    const silos = await Array.fromAsync(foresight.forecastsAll(given({ device_id: device, facility })));
    const zones = new Map(silos.map(({ device_id, time_zone }) => [device_id, time_zone]));
    const local = found.map((refill): LocalRefill => {
      return { ...refill, time_zone: zones.get(refill.device_id) ?? ownZone() };
    });
    output.list(withZone(REFILL_COLUMNS, local), local, none);
  });
};
