import type { Client } from '@granary/client';
import type { AnimalKind, Animals, Product, SiloUsePatch } from '@granary/contract/foresight/silo-use';
import { DAY_MS, toIso } from '@granary/contract/time';
import type { Facility } from '../physics/facilities.ts';
import { type Herd, roundOn } from './herd.ts';
import { dayAt, type Stocked } from './weight.ts';

/** The stored product of a silo of the farm, and the animals that it feeds. */
export interface StockPlan {
  readonly product: Product;
  /** Animals that do not grow; animals that grow are in the use of the silo. */
  readonly animals?: { readonly kind: AnimalKind; readonly heads: number };
  readonly withdrawals?: 'operations_only';
}

type Planned = StockPlan & Omit<Stocked, 'facility'> & { readonly facility: Facility };

/** Trucks come from Monday to Saturday; an order until ten in the morning arrives two days later. */
const SUPPLY = {
  lead_time_h: 48,
  cut_off: '10:00',
  delivery_days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat'],
  reserve_percent: 5,
} as const;
const TRUCK_KG = 24_000;
const LEAST_SHARE = 0.15;
/** The time for which animals that do not grow have been there. */
const STEADY_SINCE_DAYS = 200;

/** Sends the service the data that it needs for forecasts. */
export async function configureStock(client: Client, silo: Planned, nowMs: number): Promise<void> {
  const { product, withdrawals, facility } = silo;
  const animals = animalsOf(silo, nowMs);
  const patch: SiloUsePatch = {
    product,
    supply: {
      ...SUPPLY,
      delivery_days: [...SUPPLY.delivery_days],
      min_kg: Math.round(LEAST_SHARE * silo.capacityKg),
      truck_kg: Math.min(TRUCK_KG, silo.capacityKg),
    },
    time_zone: facility.timeZone,
    ...(animals === null ? {} : { animals }),
    ...(withdrawals === undefined ? {} : { withdrawals }),
  };
  await client.configuration.silo.update(silo.id, patch);
}

/** Updates the animals if young ones came while the farm was switched off, and all data if an earlier version of the farm sent none. */
export async function renewStock(client: Client, silo: Planned, nowMs: number): Promise<void> {
  const { configuration } = await client.configuration.silo.get(silo.id);
  if (configuration.product === undefined) return configureStock(client, silo, nowMs);
  const animals = animalsOf(silo, nowMs);
  const { ends_on } = configuration.animals ?? {};
  const haveLeft = ends_on !== undefined && animals !== null && ends_on <= animals.started_on;
  if (haveLeft) await client.configuration.silo.update(silo.id, { animals });
}

function animalsOf(silo: Planned, nowMs: number): Animals | null {
  const today = dayAt(silo, nowMs);
  const { dailyKg } = silo.use;
  if (typeof dailyKg !== 'number') return herdAnimals(dailyKg, today);
  if (silo.animals === undefined) return null;
  return { ...silo.animals, started_on: dateOf(today - STEADY_SINCE_DAYS) };
}

function herdAnimals(herd: Herd, today: number): Animals {
  const { kind, heads } = herd;
  const { startedOn, endsOn } = roundOn(herd, today);
  return { kind, heads, started_on: dateOf(startedOn), ends_on: dateOf(endsOn) };
}

const dateOf = (day: number): string => toIso(day * DAY_MS).slice(0, 10);
