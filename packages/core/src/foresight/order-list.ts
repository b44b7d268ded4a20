import type { OrderLine, PackedCompartment, PackedTruck } from './types.ts';

interface Open {
  readonly capacityKg: number;
  product: string | null | undefined;
  freeKg: number;
  readonly loads: { deviceId: string; kg: number }[];
}

/**
 * First fit decreasing: the largest amounts first, each into the first compartment that is empty or has its product.
 * Then amounts that no compartment holds are divided; what does not fit is left.
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
  const mayHold = (one: Open, product: string | null): boolean =>
    one.product === undefined || one.product === product;
  const put = (one: Open, { deviceId, product }: OrderLine, kg: number): void => {
    one.product = product;
    one.freeKg -= kg;
    one.loads.push({ deviceId, kg });
  };
  const divided = largestFirst.filter((line) => {
    const whole = compartments.find((one) => mayHold(one, line.product) && one.freeKg >= line.kg);
    if (whole !== undefined) put(whole, line, line.kg);
    return whole === undefined;
  });
  for (const line of divided) {
    let rest = line.kg;
    for (const one of compartments) {
      const load = mayHold(one, line.product) ? Math.min(one.freeKg, rest) : 0;
      if (load <= 0) continue;
      put(one, line, load);
      rest -= load;
    }
    if (rest > 0) left.push({ deviceId: line.deviceId, kg: rest });
  }
  const packed = compartments.map(
    ({ capacityKg, product, loads }): PackedCompartment => ({ capacityKg, product: product ?? null, loads }),
  );
  return { compartments: packed, left };
}

const compare = (a: string, b: string): number => Number(a > b) - Number(a < b);
