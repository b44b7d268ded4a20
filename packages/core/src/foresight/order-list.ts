import type { OrderLine, PackedCompartment, PackedTruck } from './types.ts';

interface Open {
  readonly capacityKg: number;
  product: string | null | undefined;
  freeKg: number;
  readonly loads: { deviceId: string; kg: number }[];
}

/**
 * First fit decreasing: the largest amounts first, each into the first compartment that is empty or has its product. An
 * amount that no compartment holds is divided; what does not fit is left.
 */
export function packTruck(lines: readonly OrderLine[], compartmentsKg: readonly number[]): PackedTruck {
  const compartments: Open[] = compartmentsKg
    .filter((kg) => kg > 0 && Number.isFinite(kg))
    .sort((a, b) => b - a)
    .map((capacityKg) => ({ capacityKg, product: undefined, freeKg: capacityKg, loads: [] }));
  const left: { deviceId: string; kg: number }[] = [];
  const largestFirst = lines
    .filter(({ kg }) => kg > 0)
    .sort((a, b) => b.kg - a.kg || a.orderByMs - b.orderByMs || compare(a.deviceId, b.deviceId));
  for (const { deviceId, product, kg } of largestFirst) {
    const mayHold = (one: Open): boolean => one.product === undefined || one.product === product;
    let rest = kg;
    const whole = compartments.find((one) => mayHold(one) && one.freeKg >= rest);
    for (const one of whole === undefined ? compartments : [whole]) {
      if (rest <= 0 || !mayHold(one) || one.freeKg <= 0) continue;
      const load = Math.min(one.freeKg, rest);
      one.product = product;
      one.freeKg -= load;
      one.loads.push({ deviceId, kg: load });
      rest -= load;
    }
    if (rest > 0) left.push({ deviceId, kg: rest });
  }
  const packed = compartments.map(
    ({ capacityKg, product, loads }): PackedCompartment => ({ capacityKg, product: product ?? null, loads }),
  );
  return { compartments: packed, left };
}

const compare = (a: string, b: string): number => Number(a > b) - Number(a < b);
