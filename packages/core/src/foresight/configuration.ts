import type { SiloUse } from '@granary/contract/foresight/silo-use';
import { WEEKDAYS } from '@granary/contract/notifications';
import { checkedTimeMs, DAY_MS } from '@granary/contract/time';
import type { SiloConfiguration, Supply } from './types.ts';

const DELIVERY_DAYS_ALL = WEEKDAYS.map(() => true);
const RESERVE_PERCENT = 5;
const LEAD_TIME_H = 48;

const dayOf = (date: string): number => Date.parse(`${date}T00:00:00Z`) / DAY_MS;

/** The configuration of a silo as forecasts need it, with its defaults. */
export function foresightConfiguration(
  capacityKg: number,
  { animals, supply, withdrawals = 'any' }: SiloUse,
): SiloConfiguration {
  return {
    capacityKg,
    withdrawals,
    animals:
      animals === undefined
        ? null
        : {
            kind: animals.kind,
            heads: animals.heads,
            startedOnDay: dayOf(animals.started_on),
            endsOnDay: animals.ends_on === undefined ? null : dayOf(animals.ends_on),
            curve: animals.curve?.map((grams) => grams / 1_000) ?? null,
          },
    supply: supply === undefined ? null : supplyOf(supply),
  };
}

function supplyOf(supply: NonNullable<SiloUse['supply']>): Supply {
  const { delivery_days: days, cut_off: cutOff } = supply;
  const [hours = 0, minutes = 0] = (cutOff ?? '').split(':').map(Number);
  return {
    leadTimeH: supply.lead_time_h ?? LEAD_TIME_H,
    cutOffMinute: cutOff === undefined ? null : hours * 60 + minutes,
    deliveryDays: days === undefined ? DELIVERY_DAYS_ALL : WEEKDAYS.map((day) => days.includes(day)),
    minKg: supply.min_kg ?? 0,
    truckKg: supply.truck_kg ?? Number.POSITIVE_INFINITY,
    reservePercent: supply.reserve_percent ?? RESERVE_PERCENT,
    planned: (supply.planned ?? []).map(({ at, kg }) => ({ atMs: checkedTimeMs(at), kg })),
  };
}
