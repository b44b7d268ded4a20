import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StartCommand } from '@granary/contract/link/messages';
import { OPERATION_TYPES } from '@granary/contract/operations';
import { HOUR_MS, MINUTE_MS, SECOND_MS, toIso } from '@granary/contract/time';
import fc from 'fast-check';
import { advance, INITIAL_MEMORY, type Machine, memoryOf, NO_DEFECTS, powerUp } from './machine.ts';
import { progressOf } from './operations/controller.ts';
import { begin, halt } from './operations/operations.ts';
import { SILOS } from './silos.ts';

const START_MS = Date.UTC(2026, 10, 15, 20);
const GRAM_KG = 0.001;

const anySilo = fc.constantFrom(...SILOS);
const anyId = fc.constantFrom('op_1', 'op_2', 'op_3');
const anyAmountKg = fc.oneof(
  fc.double({ min: 0.001, max: 200, noNaN: true }),
  fc.double({ min: 1, max: 200_000, noNaN: true }),
);

type Action =
  | { readonly kind: 'start'; readonly command: StartCommand }
  | { readonly kind: 'stop'; readonly id: string }
  | { readonly kind: 'pass'; readonly ms: number; readonly isJammed: boolean }
  | { readonly kind: 'restart' };

const anyStart = fc.record({
  command: fc.constant('start' as const),
  operation_id: anyId,
  type: fc.constantFrom(...OPERATION_TYPES),
  amount_kg: anyAmountKg,
  rate_kg_per_min: fc.double({ min: 1, max: 50_000, noNaN: true }),
  max_amount_kg: anyAmountKg,
  max_duration_s: fc.integer({ min: 1, max: 600 }),
  expires_at: fc.integer({ min: 0, max: 10 }).map((minutes) => toIso(START_MS + minutes * MINUTE_MS)),
});

const anyAction: fc.Arbitrary<Action> = fc.oneof(
  anyStart.map((command) => ({ kind: 'start', command }) as const),
  anyId.map((id) => ({ kind: 'stop', id }) as const),
  fc.record({
    kind: fc.constant('pass' as const),
    ms: fc.integer({ min: -5 * SECOND_MS, max: 3 * MINUTE_MS }),
    isJammed: fc.boolean(),
  }),
  fc.constant({ kind: 'restart' } as const),
);

/** Records what one silo did and checks it against its limits. */
class SiloObserver {
  readonly started = new Set<string>();
  readonly over = new Set<string>();
  machine: Machine;
  nowMs = START_MS;

  constructor(machine: Machine) {
    this.machine = machine;
  }

  get runningId(): string | undefined {
    return this.machine.controller.running?.command.operation_id;
  }
}

function play(observe: SiloObserver, silo: (typeof SILOS)[number], action: Action): void {
  const { machine } = observe;
  switch (action.kind) {
    case 'start': {
      const { controller } = begin(machine.controller, action.command, observe.nowMs);
      observe.machine = { ...machine, controller };
      break;
    }
    case 'stop':
      observe.machine = { ...machine, controller: halt(machine.controller, action.id, observe.nowMs) };
      assert.notEqual(observe.runningId, action.id);
      observe.over.add(action.id);
      break;
    case 'pass':
      observe.nowMs += action.ms;
      observe.machine = advance(silo, machine, observe.nowMs, { ...NO_DEFECTS, isJammed: action.isJammed });
      break;
    case 'restart':
      observe.machine = powerUp(silo, memoryOf(silo, machine), observe.nowMs);
      assert.equal(observe.runningId, undefined);
      assert.ok(Math.abs(observe.machine.body.weightKg - machine.body.weightKg) < 1e-6, 'the weight jumped');
      break;
  }
}

function assertBounds(silo: (typeof SILOS)[number], { body, controller }: Machine): void {
  assert.ok(body.weightKg >= 0 && body.weightKg <= silo.capacityKg);
  const { running } = controller;
  if (running === null) return;
  const { max_amount_kg, amount_kg, max_duration_s } = running.command;
  assert.ok(running.movedKg <= Math.min(max_amount_kg, amount_kg));
  assert.ok(running.elapsedMs < max_duration_s * SECOND_MS);
}

test('after any commands: all limits hold, each operation runs at most once, and nothing moves after a stop', () => {
  fc.assert(
    fc.property(anySilo, fc.array(anyAction, { maxLength: 40 }), (silo, actions) => {
      const observe = new SiloObserver(powerUp(silo, INITIAL_MEMORY, START_MS));
      for (const action of actions) {
        const before = observe.machine;
        const ranBefore = observe.runningId;
        play(observe, silo, action);
        assertBounds(silo, observe.machine);
        const id = observe.runningId;
        if (id !== undefined && id !== ranBefore) {
          assert.ok(!observe.started.has(id) && !observe.over.has(id), `${id} began again`);
          observe.started.add(id);
        }
        if (ranBefore !== undefined && id === undefined) observe.over.add(ranBefore);
        for (const ended of observe.over) {
          const amountKg = (machine: Machine) => progressOf(machine.controller, ended, 0).amount_kg;
          if (ended !== ranBefore) assert.equal(amountKg(observe.machine), amountKg(before));
        }
      }
    }),
    { numRuns: 1_000 },
  );
});

test('the reported amount equals the change of the content, in steps of any size', () => {
  const stepsMs = fc.array(fc.integer({ min: 1, max: 20 * SECOND_MS }), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(anySilo, anyStart, stepsMs, fc.boolean(), (silo, command, steps, isJammed) => {
      let machine = powerUp(silo, INITIAL_MEMORY, START_MS);
      const beforeKg = machine.body.weightKg;
      machine = { ...machine, controller: begin(machine.controller, command, START_MS).controller };
      let nowMs = START_MS;
      for (const stepMs of steps) {
        if (machine.controller.running === null) break;
        nowMs += stepMs;
        machine = advance(silo, machine, nowMs, { ...NO_DEFECTS, isJammed });
      }
      const { amount_kg } = progressOf(machine.controller, command.operation_id, nowMs);
      const changeKg = machine.body.weightKg - beforeKg;
      const movedKg = command.type === 'feed' ? changeKg : -changeKg;
      assert.ok(Math.abs(movedKg - amount_kg) <= GRAM_KG + 1e-6, `${movedKg} is not ${amount_kg}`);
    }),
  );
});

test('the regular use pauses while an operation runs, and continues after it', () => {
  const [silo] = SILOS;
  assert.ok(silo);
  const feedingMs = Date.UTC(2026, 10, 15, 16);
  const fresh = powerUp(silo, INITIAL_MEMORY, feedingMs);
  const command: StartCommand = {
    command: 'start',
    operation_id: 'op_1',
    type: 'feed',
    amount_kg: 50,
    rate_kg_per_min: 600,
    max_amount_kg: 51,
    max_duration_s: 60,
    expires_at: toIso(feedingMs),
  };
  const { controller } = begin(fresh.controller, command, feedingMs);
  const fed = advance(silo, { ...fresh, controller }, feedingMs + 7 * SECOND_MS);
  assert.ok(Math.abs(fed.body.weightKg - fresh.body.weightKg - 50) < 1e-9);
  const later = advance(silo, fed, feedingMs + HOUR_MS);
  assert.ok(later.body.weightKg < fed.body.weightKg - 100);
});

test('bridged material stays in the silo, and a leak takes its share beside the use', () => {
  for (const silo of SILOS.filter(({ use }) => use.dailyKg !== 0)) {
    const start = powerUp(silo, INITIAL_MEMORY, START_MS);
    const hours = Array.from({ length: 48 }, (_, hour) => START_MS + hour * HOUR_MS);
    const run = (defects: Partial<typeof NO_DEFECTS>) =>
      hours.reduce((machine, ms) => advance(silo, machine, ms, { ...NO_DEFECTS, ...defects }), start).body
        .weightKg;
    assert.ok(run({ isBridged: true }) >= start.body.weightKg, silo.id);
    const lostKg = run({}) - run({ leakKgPerHour: 1 });
    assert.ok(Math.abs(lostKg - 47) < 1e-6, `${silo.id} lost ${lostKg} kg`);
  }
});
