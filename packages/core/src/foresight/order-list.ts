import type { OrderLine, OrderList } from '@granary/contract/foresight/refills';
import { toIso, toIsoOrNull } from '@granary/contract/time';
import type { Forecast } from './types.ts';

interface ForecastSilo {
  readonly deviceId: string;
  readonly name: string;
  readonly facility: string;
  readonly zone: string;
  readonly product: string | null;
  readonly forecast: Forecast;
}

interface OrderWish {
  readonly nowMs: number;
  readonly untilMs: number;
  /** `null` if the orders are not loaded into a truck. */
  readonly compartmentsKg: readonly number[] | null;
}

/** The orders for these silos, which are due until `untilMs`, with totals for each product and place, and their loads in one truck. */
export function orderList(
  silos: readonly ForecastSilo[],
  { nowMs, untilMs, compartmentsKg }: OrderWish,
): OrderList {
  const lines = silos.flatMap(orderLines).sort(byPlace);
  const packed = compartmentsKg === null ? null : packTruck(lines, compartmentsKg);
  return {
    made_at: toIso(nowMs),
    until: toIso(untilMs),
    lines,
    totals: totalsOf(lines),
    loads: packed?.loads ?? null,
    not_loaded: packed?.not_loaded ?? [],
  };
}

function orderLines({ forecast, ...silo }: ForecastSilo): OrderLine[] {
  const { suggestion, orderByMs } = forecast;
  if (suggestion === null || orderByMs === null || suggestion.kg <= 0) return [];
  return [
    {
      device_id: silo.deviceId,
      name: silo.name,
      facility: silo.facility,
      zone: silo.zone,
      product: silo.product,
      kg: Math.round(suggestion.kg),
      time_zone: forecast.timeZone,
      order_by: toIso(orderByMs),
      deliver_between: { from: toIso(suggestion.deliverFromMs), to: toIso(suggestion.deliverToMs) },
      level_kg: forecast.levelKg === null ? null : Math.round(forecast.levelKg),
      kg_per_day: forecast.use === null ? null : Math.round(forecast.use.kgPerDay),
      empty_p50: toIsoOrNull(forecast.empty?.p50Ms ?? null),
    },
  ];
}

const compared = (a: string, b: string): number => Number(a > b) - Number(a < b);

const byPlace = (a: OrderLine, b: OrderLine): number =>
  compared(a.facility, b.facility) ||
  compared(a.product ?? '', b.product ?? '') ||
  compared(a.order_by, b.order_by) ||
  compared(a.device_id, b.device_id);

function totalsOf(lines: readonly OrderLine[]): OrderList['totals'] {
  const groups = Map.groupBy(lines, ({ facility, product }) => JSON.stringify([facility, product]));
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const { facility, product } = first;
    const sum = (of: (line: OrderLine) => number) => group.reduce((total, line) => total + of(line), 0);
    return [
      {
        facility,
        product,
        silos: group.length,
        kg: sum(({ kg }) => kg),
        kg_per_day: sum(({ kg_per_day }) => kg_per_day ?? 0),
        // The lines of a group are ordered by time, so the first one is the earliest.
        order_by: first.order_by,
      },
    ];
  });
}

type TruckLine = Pick<OrderLine, 'device_id' | 'product' | 'kg' | 'order_by'>;

interface Compartment {
  readonly capacityKg: number;
  /** `undefined` while the compartment is empty. */
  product: string | null | undefined;
  loadedKg: number;
  readonly deviceIds: string[];
}

/**
 * First fit decreasing: the largest amounts come first, each into the largest compartment that has room and is empty or has
 * its product. Then amounts that no single compartment holds are divided; an amount without room is left over.
 */
export function packTruck(
  lines: readonly TruckLine[],
  compartmentsKg: readonly number[],
): Pick<OrderList, 'not_loaded'> & { readonly loads: NonNullable<OrderList['loads']> } {
  const truck = compartmentsKg.map(
    (capacityKg): Compartment => ({ capacityKg, product: undefined, loadedKg: 0, deviceIds: [] }),
  );
  const largestCompartments = truck.toSorted((a, b) => b.capacityKg - a.capacityKg);
  const largestAmounts = lines
    .filter(({ kg }) => kg > 0)
    .sort((a, b) => b.kg - a.kg || compared(a.order_by, b.order_by) || compared(a.device_id, b.device_id));
  const freeKg = ({ capacityKg, loadedKg }: Compartment): number => capacityKg - loadedKg;
  const mayHold = ({ product }: Compartment, line: TruckLine): boolean =>
    product === undefined || product === line.product;
  const load = (compartment: Compartment, { device_id, product }: TruckLine, kg: number): void => {
    compartment.product = product;
    compartment.loadedKg += kg;
    compartment.deviceIds.push(device_id);
  };
  const divided = largestAmounts.filter((line) => {
    const whole = largestCompartments.find((each) => mayHold(each, line) && freeKg(each) >= line.kg);
    if (whole !== undefined) load(whole, line, line.kg);
    return whole === undefined;
  });
  const notLoaded = divided.flatMap((line) => {
    let restKg = line.kg;
    for (const compartment of largestCompartments) {
      const kg = mayHold(compartment, line) ? Math.min(freeKg(compartment), restKg) : 0;
      if (kg <= 0) continue;
      load(compartment, line, kg);
      restKg -= kg;
    }
    return restKg > 0 ? [{ device_id: line.device_id, kg: restKg }] : [];
  });
  const loads = truck.map(({ capacityKg, product, loadedKg, deviceIds }, index) => ({
    truck: 1,
    compartment: index + 1,
    capacity_kg: capacityKg,
    product: product ?? null,
    kg: loadedKg,
    device_ids: deviceIds,
  }));
  return { loads, not_loaded: notLoaded };
}
