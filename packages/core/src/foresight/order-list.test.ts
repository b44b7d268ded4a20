import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { packTruck } from './order-list.ts';

const line = (deviceId: string, product: string, kg: number): Parameters<typeof packTruck>[0][number] => ({
  device_id: deviceId,
  product,
  kg,
  order_by: '2026-11-19T05:00:00.000Z',
});

test('one product in a compartment, the largest amounts first, and what does not fit is said', () => {
  const orders = [line('a', 'x', 5_000), line('b', 'y', 7_000), line('c', 'x', 2_000), line('d', 'z', 9_000)];
  const { loads, not_loaded } = packTruck(orders, [8_000, 6_000]);
  assert.deepEqual(
    loads.map(({ product, kg, device_ids }) => ({ product, kg, device_ids })),
    [
      { product: 'y', kg: 7_000, device_ids: ['b'] },
      { product: 'x', kg: 6_000, device_ids: ['a', 'c'] },
    ],
  );
  assert.deepEqual(not_loaded, [
    { device_id: 'd', kg: 9_000 },
    { device_id: 'c', kg: 1_000 },
  ]);
});

test('compartments are counted as the truck has them, whichever is filled first', () => {
  const { loads } = packTruck([line('a', 'x', 7_000)], [6_000, 8_000]);
  assert.deepEqual(
    loads.map(({ compartment, capacity_kg, kg }) => [compartment, capacity_kg, kg]),
    [
      [1, 6_000, 0],
      [2, 8_000, 7_000],
    ],
  );
});

test('nothing is lost, no compartment holds too much, and each has one product', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom('x', 'y', 'z'), fc.integer({ min: 1, max: 9_000 })), {
        maxLength: 12,
      }),
      fc.array(fc.integer({ min: 1, max: 9_000 }), { maxLength: 6 }),
      (orders, compartmentsKg) => {
        const lines = orders.map(([product, kg], index) => line(`d${index}`, product, kg));
        const { loads, not_loaded } = packTruck(lines, compartmentsKg);
        const sum = (amounts: readonly { readonly kg: number }[]): number =>
          amounts.reduce((total, { kg }) => total + kg, 0);
        assert.equal(sum(loads) + sum(not_loaded), sum(lines));
        assert.deepEqual(
          loads.map(({ capacity_kg }) => capacity_kg),
          compartmentsKg,
        );
        for (const { product, kg, capacity_kg, device_ids } of loads) {
          assert.ok(kg <= capacity_kg);
          for (const id of device_ids)
            assert.equal(lines.find(({ device_id }) => device_id === id)?.product, product);
        }
      },
    ),
  );
});
