import type { SiloConfiguration } from '@granary/contract/configuration/silo-configuration';
import { Refusal } from '@granary/contract/errors';
import type { RefillPatch } from '@granary/contract/foresight/refills';
import type { PlannedDelivery } from '@granary/contract/foresight/silo-use';
import { issueOf } from '@granary/contract/input/validation-issues';
import { sentence } from '@granary/contract/sentences/codes';
import { checkedTimeMs, DAY_MS } from '@granary/contract/time';
import { storedConfiguration } from '@granary/core/configuration/versions';
import { isForecastDue } from '@granary/core/foresight/due';
import type { GrainRead } from '@granary/core/foresight/grain/grain-state';
import { HISTORY_DAYS } from '@granary/core/foresight/history';
import { localCalendar } from '@granary/core/foresight/local-calendar';
import { refillRecord, type SiloFinding, type StoredRefill } from '@granary/core/foresight/record';
import type { Forecast } from '@granary/core/foresight/types';
import type { Sql } from '@granary/store/sql';
import { writes as configurationWrites } from '../configuration/configuration.ts';
import { lockConfiguration } from '../configuration/configuration-rows.ts';
import { type Committed, committed, eventsLogged } from '../effects.ts';
import { logEvents, type NewEvent } from '../events/event-rows.ts';
import { refuseOutside } from '../rights.ts';
import type { KeptDays } from '../slice.ts';
import { markLate } from '../telemetry/reading-rows.ts';
import { longWrite, type Transaction } from '../transaction.ts';
import { type ForecastWish, forecastSilos } from './forecast-silo.ts';
import {
  type FindingPage,
  type ForecastPage,
  findRefill,
  type ListedFinding,
  type ListedForecast,
  type ListedRefill,
  listFindings,
  listForecasts,
  listRefills,
  noteRefill,
  type RefillPage,
  readRefills,
  readSilo,
  type SweptSilo,
  sweepSilos,
  takeLease,
} from './foresight-rows.ts';
import { readGrain } from './grain.ts';
import { type SavedForecasts, saveForecasts } from './save-forecasts.ts';

/** No forecast needs days that are older than this. */
const USE_DAYS_KEPT = HISTORY_DAYS + 30;
/** A planned delivery that is further ahead than this has a wrong date. */
const PLANNED_AHEAD_MS = 366 * DAY_MS;

export interface ListedSiloForecast extends Omit<ListedForecast, 'body'> {
  readonly forecast: Forecast;
}

export interface DueLook {
  readonly afterNo: number;
  readonly limit: number;
  readonly nowMs: number;
}

export interface DueSilos {
  readonly due: readonly number[];
  /** Silos for which many days have to be computed and stored. */
  readonly long: readonly number[];
  readonly lastNo: number | null;
}

export const reads = {
  /** Returns which of the next silos after a number need a new forecast; `lastNo` is `null` when there are no further silos. */
  async due(sql: Sql, { afterNo, limit, nowMs }: DueLook): Promise<DueSilos> {
    const silos = await sweepSilos(sql, afterNo, limit);
    const due = silos.filter((silo) => isForecastDue(silo, nowMs));
    const isLong = (silo: SweptSilo): boolean => silo.made === null || silo.lateFromMs !== null;
    return {
      due: due.filter((silo) => !isLong(silo)).map(({ deviceNo }) => deviceNo),
      long: due.filter(isLong).map(({ deviceNo }) => deviceNo),
      lastNo: silos.length < limit ? null : (silos.at(-1)?.deviceNo ?? null),
    };
  },

  /** Makes forecasts from the stored data; nothing is written. */
  makeForecasts: (sql: Sql, deviceNos: readonly number[], wish: ForecastWish) =>
    forecastSilos(sql, deviceNos, wish),

  async forecasts(sql: Sql, page: ForecastPage): Promise<ListedSiloForecast[]> {
    return (await listForecasts(sql, page)).map(({ body, ...silo }) => ({
      ...silo,
      forecast: JSON.parse(body),
    }));
  },

  async refills(sql: Sql, page: RefillPage): Promise<StoredRefill[]> {
    return (await listRefills(sql, page)).map(storedRefill);
  },

  async refill(
    sql: Sql,
    refillId: string,
  ): Promise<(StoredRefill & { readonly facility: string }) | undefined> {
    const row = await findRefill(sql, refillId);
    return row && { ...storedRefill(row), facility: row.facility };
  },

  async findings(
    sql: Sql,
    page: FindingPage,
  ): Promise<
    (Omit<ListedFinding, 'body'> & { readonly findingNo: number; readonly finding: SiloFinding })[]
  > {
    return (await listFindings(sql, page)).map(({ body, ...row }) => ({ ...row, finding: JSON.parse(body) }));
  },

  /** Returns `null` if the product of the silo is no grain and no cable is declared. */
  async grain(sql: Sql, deviceNo: number, { nowMs, timeZone }: ForecastWish): Promise<GrainRead | null> {
    const silo = await readSilo(sql, deviceNo);
    if (silo === undefined) return null;
    const use = storedConfiguration<SiloConfiguration>(silo.configuration);
    const fromMs = nowMs - 30 * DAY_MS;
    const calendar =
      localCalendar(use.time_zone ?? timeZone, fromMs, nowMs + DAY_MS) ?? localCalendar('UTC', fromMs, nowMs);
    if (calendar === null) return null;
    const refills = (await readRefills(sql, deviceNo, fromMs)).filter(({ isRefill }) => isRefill === 1);
    const wish = {
      nowMs,
      calendar,
      use,
      levelKg: silo.levelKg,
      refills: refills.map((row) => ({ ...row, inGap: false })),
    };
    const facts = await readGrain(sql, silo, wish);
    return facts && { ...facts, use };
  },
};

export interface Planning {
  readonly deviceNo: number;
  readonly nowMs: number;
}

export const expiry = (kept: KeptDays, nowMs: number) => ({
  nowMs,
  refillsBeforeMs: nowMs - kept.jobRetentionDays * DAY_MS,
});

export const writes = {
  /** Stores the forecasts of some silos with the data that they are based on. A silo that was removed meanwhile is left out. */
  save: (tx: Transaction, saved: SavedForecasts): Promise<Committed<number>> => saveForecasts(tx, saved),

  /** Stores what a person knows about a refill. If it was no refill, the days since then are computed anew. */
  async noteRefill(
    tx: Transaction,
    {
      refillId,
      patch,
      nowMs,
    }: { readonly refillId: string; readonly patch: RefillPatch; readonly nowMs: number },
  ): Promise<Committed<StoredRefill>> {
    const row = await findRefill(tx.sql, refillId);
    if (row === undefined) throw new Refusal('refill_not_found', 'there is no such refill');
    await refuseOutside(tx, row.deviceNo);
    const { delivery_note_kg: noteKg, product, is_refill: isRefill } = patch;
    await noteRefill(tx.sql, refillId, {
      deliveryNoteKg: noteKg === undefined ? row.deliveryNoteKg : noteKg,
      product: product === undefined ? row.product : product,
      isRefill: isRefill === undefined ? row.isRefill : Number(isRefill),
      changedAtMs: nowMs,
      actor: tx.actor,
    });
    await markLate(tx.sql, new Map([[row.deviceNo, row.fromMs]]));
    const changed = await findRefill(tx.sql, refillId);
    if (changed === undefined) throw new Error('the refill is gone');
    const refill = storedRefill(changed);
    const events: NewEvent[] = [
      { type: 'refill.changed', deviceNo: row.deviceNo, atMs: nowMs, data: refillRecord(refill) },
    ];
    await logEvents(tx, events);
    return committed(refill, ...eventsLogged(events));
  },

  /** Plans a delivery; one that is planned for the same time is replaced. */
  async planDelivery(
    tx: Transaction,
    { deviceNo, nowMs, delivery }: Planning & { readonly delivery: PlannedDelivery },
  ): Promise<Committed<readonly PlannedDelivery[]>> {
    const atMs = checkedTimeMs(delivery.at);
    if (atMs <= nowMs) throw badDelivery('/at', sentence('must_be_to_come'));
    if (atMs > nowMs + PLANNED_AHEAD_MS) throw badDelivery('/at', sentence('is_out_of_range'));
    const [silo] = await tx.sql.query<{ capacityKg: number }>(
      'SELECT capacity_kg FROM devices WHERE device_no = $1',
      [deviceNo],
    );
    if (silo !== undefined && delivery.kg > silo.capacityKg) {
      throw badDelivery('/kg', sentence('must_be_at_most', { limit: silo.capacityKg }));
    }
    return await changePlanned(tx, { deviceNo, nowMs }, (planned) => [
      ...planned.filter(({ at }) => checkedTimeMs(at) !== atMs),
      delivery,
    ]);
  },

  /** Cancels one planned delivery, or all if `at` is `null`. */
  async cancelDelivery(
    tx: Transaction,
    { deviceNo, nowMs, at }: Planning & { readonly at: string | null },
  ): Promise<Committed<readonly PlannedDelivery[]>> {
    return await changePlanned(tx, { deviceNo, nowMs }, (planned) =>
      at === null ? [] : planned.filter((one) => checkedTimeMs(one.at) !== checkedTimeMs(at)),
    );
  },

  /** Returns whether this node makes the forecasts until a time. */
  async takeLease(
    tx: Transaction,
    { holder, nowMs, untilMs }: { readonly holder: string; readonly nowMs: number; readonly untilMs: number },
  ): Promise<Committed<boolean>> {
    return committed(await takeLease(tx.sql, holder, nowMs, untilMs));
  },

  /** Removes days and refills that no forecast needs; returns how many rows. */
  expire: longWrite(
    async (
      tx,
      { nowMs, refillsBeforeMs, rowsMax }: { nowMs: number; refillsBeforeMs: number; rowsMax: number },
    ) => {
      const oldestDay = Math.floor(nowMs / DAY_MS) - USE_DAYS_KEPT;
      const days = await tx.sql.run(
        'DELETE FROM use_days WHERE (device_no, day) IN (SELECT device_no, day FROM use_days WHERE day < $1 LIMIT $2)',
        [oldestDay, rowsMax],
      );
      const refills = await tx.sql.run(
        'DELETE FROM refills WHERE refill_no IN (SELECT refill_no FROM refills WHERE to_ms < $1 LIMIT $2)',
        [refillsBeforeMs, rowsMax],
      );
      return committed(days + refills);
    },
  ),
};

const badDelivery = (...issue: Parameters<typeof issueOf>): Refusal =>
  new Refusal('invalid_input', 'the delivery is not valid', [issueOf(...issue)]);

/** Changes the planned deliveries. They are a part of the configuration, so that they have one history and one place. */
async function changePlanned(
  tx: Transaction,
  { deviceNo, nowMs }: Planning,
  change: (planned: readonly PlannedDelivery[]) => PlannedDelivery[],
): Promise<Committed<readonly PlannedDelivery[]>> {
  const current = await lockConfiguration(tx.sql, deviceNo);
  if (current === undefined) throw new Refusal('device_not_found', 'the device has no configuration');
  const { supply } = storedConfiguration<SiloConfiguration>(current.body);
  // Old deliveries are removed, because they would fill the list.
  const planned = (supply?.planned ?? []).filter(({ at }) => checkedTimeMs(at) > nowMs - DAY_MS);
  const wanted = change(planned);
  const { result, effects } = await configurationWrites.change(
    tx,
    deviceNo,
    { supply: { planned: wanted } },
    nowMs,
  );
  const { supply: changed } = result.configuration as SiloConfiguration;
  return committed(changed?.planned ?? [], ...effects);
}

const storedRefill = ({ isRefill, changedBy, ...row }: ListedRefill): StoredRefill => ({
  ...row,
  isRefill: isRefill === 1,
  changedBy: changedBy === null ? null : JSON.parse(changedBy),
});
