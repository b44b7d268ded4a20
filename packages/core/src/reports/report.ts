import type { RaisedAlerts } from '@granary/contract/alert-statistics';
import type { OperationRecord } from '@granary/contract/operations';
import { REPORT_ITEMS_MAX, REPORT_SILOS_MAX, type Report, type ReportSilo } from '@granary/contract/reports';
import { toIso, toIsoOrNull } from '@granary/contract/time';
import { csvText } from '../csv.ts';
import type { StoredRefill } from '../foresight/record.ts';
import type { Forecast, UseDay } from '../foresight/types.ts';
import { dateOf, type ReportDays } from './period.ts';

/** The facts about a silo. */
export interface SiloFacts {
  readonly deviceId: string;
  readonly name: string;
  readonly facility: string;
  readonly zone: string;
  readonly capacityKg: number;
  readonly product: string | null;
  readonly bushelKg: number | null;
  readonly forecast: Forecast | null;
  readonly beginKg: number | null;
  /** `null` if it is not known, and while the period is not over. */
  readonly endKg: number | null;
  /** The days of the chart. */
  readonly days: readonly Pick<UseDay, 'day' | 'kg' | 'dischargedKg' | 'refilledKg'>[];
}

export interface ReportFacts {
  readonly days: ReportDays;
  readonly facility: string | null;
  readonly label: string | null;
  readonly nowMs: number;
  readonly silos: readonly SiloFacts[];
  /** If there are more than a report lists, one more than that; this holds for the other lists, too. */
  readonly refills: readonly StoredRefill[];
  readonly openCritical: Report['open_critical'];
  /** Lists of which not all entries were read, because there are more than a report lists. */
  readonly cut: readonly ('deliveries' | 'open_critical')[];
  readonly raised: Report['raised'];
  readonly alerts: readonly RaisedAlerts[];
  readonly operations: readonly (OperationRecord & {
    readonly device_id: string;
    readonly device_name: string;
  })[];
}

const kilograms = (kg: number): number => Math.round(kg * 10) / 10;
const kilogramsOrNull = (kg: number | null): number | null => (kg === null ? null : kilograms(kg));
const sumOf = (values: readonly (number | null)[]): number =>
  kilograms(values.reduce<number>((sum, value) => sum + (value ?? 0), 0));

/** Amounts that are computed from weights may be slightly negative. */
const atLeastNone = (kg: number): number => kilograms(Math.max(0, kg));

export function reportOf(facts: ReportFacts): Report {
  const { days, nowMs } = facts;
  const isOver = days.toMs <= nowMs;
  const silos = facts.silos.map((silo) => siloRecord(silo, days, isOver));
  const total = (of: (silo: ReportSilo) => number | null): number => sumOf(silos.map(of));
  const names = new Intl.Collator('en', { numeric: true });
  const ordered = silos.toSorted(
    (a, b) => names.compare(a.facility, b.facility) || names.compare(a.name, b.name),
  );
  const lists = {
    silos: cut(ordered, REPORT_SILOS_MAX),
    deliveries: cut(facts.refills, REPORT_ITEMS_MAX),
    open_critical: cut(facts.openCritical, REPORT_ITEMS_MAX),
    alerts: cut(facts.alerts, REPORT_ITEMS_MAX),
    operations: cut(facts.operations, REPORT_ITEMS_MAX),
  };
  return {
    period: days.period,
    first_date: dateOf(days.firstDay),
    last_date: dateOf(days.endDay - 1),
    from: toIso(days.fromMs),
    to: toIso(Math.min(days.toMs, nowMs)),
    is_over: isOver,
    time_zone: days.timeZone,
    facility: facts.facility,
    label: facts.label,
    made_at: toIso(nowMs),
    totals: {
      silos: silos.length,
      capacity_kg: total(({ capacity_kg }) => capacity_kg),
      begin_kg: total(({ begin_kg }) => begin_kg),
      end_kg: total(({ end_kg }) => end_kg),
      change_kg: total(({ begin_kg, end_kg }) =>
        begin_kg === null || end_kg === null ? null : end_kg - begin_kg,
      ),
      in_kg: total(({ in_kg }) => in_kg),
      out_kg: total(({ out_kg }) => out_kg),
      use_kg: total(({ use_kg }) => use_kg),
    },
    days: dayTotals(facts.silos, days),
    silos: lists.silos.items,
    deliveries: lists.deliveries.items.map((refill) => ({
      device_id: refill.deviceId,
      from: toIso(refill.fromMs),
      kg: kilograms(refill.kg),
      product: refill.product,
      delivery_note_kg: refill.deliveryNoteKg,
    })),
    open_critical: lists.open_critical.items,
    raised: facts.raised,
    alerts: lists.alerts.items,
    operations: lists.operations.items.map((operation) => ({
      operation_id: operation.operation_id,
      device_id: operation.device_id,
      device_name: operation.device_name,
      type: operation.type,
      status: operation.status,
      amount_completed: operation.amount_completed,
      unit: operation.unit,
      started_at: operation.started_at,
      ended_at: operation.ended_at,
      requested_by: operation.requested_by,
      stopped_by: operation.stopped_by,
    })),
    has_more: (['silos', 'deliveries', 'open_critical', 'alerts', 'operations'] as const).filter(
      (name) => lists[name].hasMore || facts.cut.some((one) => one === name),
    ),
  };
}

const cut = <Item>(items: readonly Item[], most: number): { items: Item[]; hasMore: boolean } => ({
  items: items.slice(0, most),
  hasMore: items.length > most,
});

function siloRecord(silo: SiloFacts, { firstDay, endDay }: ReportDays, isOver: boolean): ReportSilo {
  const { forecast } = silo;
  const known = silo.days.filter(({ day }) => day >= firstDay && day < endDay);
  const sum = (of: (day: (typeof known)[number]) => number): number | null =>
    known.length === 0 ? null : atLeastNone(known.reduce((total, day) => total + of(day), 0));
  return {
    device_id: silo.deviceId,
    name: silo.name,
    facility: silo.facility,
    zone: silo.zone,
    product: silo.product,
    bushel_kg: silo.bushelKg,
    capacity_kg: silo.capacityKg,
    begin_kg: kilogramsOrNull(silo.beginKg),
    end_kg: kilogramsOrNull(isOver ? silo.endKg : (forecast?.levelKg ?? null)),
    in_kg: sum(({ refilledKg }) => refilledKg),
    out_kg: sum(({ dischargedKg }) => dischargedKg),
    use_kg: sum(({ kg }) => kg),
    days_known: known.length,
    status: forecast?.status ?? null,
    kg_per_day: kilogramsOrNull(forecast?.use?.kgPerDay ?? null),
    empty_p50: toIsoOrNull(forecast?.empty?.p50Ms ?? null),
    order_by: toIsoOrNull(forecast?.orderByMs ?? null),
    order_kg: kilogramsOrNull(forecast?.suggestion?.kg ?? null),
  };
}

function dayTotals(silos: readonly SiloFacts[], { chartFirstDay, endDay }: ReportDays): Report['days'] {
  const totals = Array.from({ length: endDay - chartFirstDay }, () => ({ inKg: 0, useKg: 0 }));
  for (const { day, kg, refilledKg } of silos.flatMap(({ days }) => days)) {
    const total = totals[day - chartFirstDay];
    if (total === undefined) continue;
    total.inKg += refilledKg;
    total.useKg += kg;
  }
  return totals.map(({ inKg, useKg }, index) => ({
    date: dateOf(chartFirstDay + index),
    in_kg: atLeastNone(inKg),
    use_kg: atLeastNone(useKg),
  }));
}

const SILO_COLUMNS = [
  'device_id',
  'name',
  'facility',
  'zone',
  'product',
  'capacity_kg',
  'begin_kg',
  'end_kg',
  'in_kg',
  'out_kg',
  'use_kg',
  'days_known',
  'status',
  'kg_per_day',
  'empty_p50',
  'order_by',
  'order_kg',
] as const satisfies (keyof ReportSilo)[];

/** One line for each silo, with the dates of the period, so that the files of several periods fit into one table. */
export const reportCsv = ({ silos, first_date, last_date }: Report): string =>
  csvText(
    ['first_date', 'last_date', ...SILO_COLUMNS],
    silos.map((silo) => [first_date, last_date, ...SILO_COLUMNS.map((column) => silo[column])]),
  );

export const csvName = ({ period, first_date: date }: Report): string => `report-${period}-${date}.csv`;
