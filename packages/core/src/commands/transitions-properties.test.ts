import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { COMMAND_STATUSES } from '@granary/contract/commands';
import { COMMAND_STATES } from '@granary/contract/link/field-messages';
import { MINUTE_MS } from '@granary/contract/time';
import fc from 'fast-check';
import {
  beginCommand,
  COMMAND_RULES,
  type CommandState,
  isDecided,
  isEmergencyStop,
  isEndDeclared,
  isOpen,
} from './state.ts';
import { advanceCommand, type CommandInput, type CommandTransition } from './transitions.ts';

const START_MS = 1_000_000_000_000;

const begin = (command: 'return_to_base' | 'hold' | 'emergency_stop'): CommandState =>
  beginCommand({ commandId: 'cmd_1', deviceNo: 1, request: { command } }, START_MS);
const command = fc.constantFrom(begin('return_to_base'), begin('hold'), begin('emergency_stop'));

const timeMs = fc.integer({ min: -MINUTE_MS, max: 10 * MINUTE_MS }).map((sinceMs) => START_MS + sinceMs);
const tick = fc.record({
  kind: fc.constant('tick' as const),
  isReachable: fc.boolean(),
  isNewSession: fc.boolean(),
  isStopped: fc.boolean(),
});
const input: fc.Arbitrary<CommandInput> = fc.oneof(
  fc.record({ kind: fc.constant('issue' as const), isReachable: fc.boolean() }),
  fc.record({
    kind: fc.constant('not_sent' as const),
    delivery: fc.constantFrom('not_connected' as const, 'expired' as const),
  }),
  fc.constant({ kind: 'cancel' } as const),
  fc.record({
    kind: fc.constant('declare_ended' as const),
    declaration: fc.constant({ reason: 'looked', looked_by: 'Ada', by: null }),
    isReachable: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('ack' as const), accepted: fc.boolean(), reason: fc.option(fc.string()) }),
  fc.record({
    kind: fc.constant('progress' as const),
    state: fc.constantFrom(...COMMAND_STATES),
    reason: fc.option(fc.string()),
    tsMs: timeMs,
  }),
  tick,
);
const steps = fc.array(fc.tuple(input, timeMs), { maxLength: 40 });

interface Step extends CommandTransition {
  readonly before: CommandState;
  readonly input: CommandInput;
}

/** The steps of a random sequence of inputs; time jumps in both directions, because a clock may be set. */
function walk(from: CommandState, inputs: readonly (readonly [CommandInput, number])[]): Step[] {
  let before = from;
  return inputs.map(([given, nowMs]) => {
    const step = { before, input: given, ...advanceCommand(before, given, nowMs) };
    before = step.command;
    return step;
  });
}

const onEveryWalk = (check: (steps: Step[]) => void): void =>
  fc.assert(
    fc.property(command, steps, (from, inputs) => check(walk(from, inputs))),
    { numRuns: 500 },
  );
const onEveryStep = (check: (step: Step) => void): void => onEveryWalk((walked) => walked.forEach(check));

describe('whatever happens to a command', () => {
  it('its status is a known one, and it has an end exactly when it is not open', () => {
    onEveryStep(({ command: after }) => {
      assert.ok(COMMAND_STATUSES.includes(after.status));
      assert.equal(after.endedAtMs === null, isOpen(after));
      assert.equal(after.result !== null, after.endedAtMs !== null && after.status !== 'succeeded');
    });
  });

  it('an outcome that the device reported is final', () => {
    onEveryStep(({ before, command: after }) => {
      if (isDecided(before)) assert.equal(after, before);
    });
  });

  it('a movement command is sent at most once, immediately, and only to a reachable device', () => {
    onEveryWalk((walked) => {
      const sent = walked.filter(
        ({ before, send }) => send === 'execute' && COMMAND_RULES[before.command].needsSession,
      );
      assert.ok(sent.length <= 1);
      for (const { input: given } of sent) assert.ok(given.kind === 'issue' && given.isReachable);
    });
  });

  it('a command is sent again only if it was not written to the connection', () => {
    onEveryWalk((walked) => {
      let isSent = false;
      for (const { before, input: given, send } of walked) {
        if (isEmergencyStop(before)) return;
        if (send === 'execute') assert.equal(isSent, false);
        isSent = send === 'execute' || (isSent && given.kind !== 'not_sent');
      }
    });
  });

  it('nothing but an emergency stop is sent while one is in force', () => {
    onEveryStep(({ before, input: given, send }) => {
      if (given.kind !== 'tick' || !given.isStopped || isEmergencyStop(before)) return;
      assert.notEqual(send, 'execute');
    });
  });

  it('an emergency stop ends only by the report that the device stands still or by a person who has looked, and stays in force', () => {
    onEveryStep(({ before, input: given, command: after }) => {
      if (!isEmergencyStop(after)) return;
      assert.equal(after.latchedSinceMs, START_MS);
      if (isOpen(after)) return;
      assert.equal(after.status, isEndDeclared(after) ? 'failed' : 'succeeded');
      if (!isOpen(before)) return;
      const isConfirmed = given.kind === 'progress' && given.state === 'succeeded';
      assert.ok(isConfirmed || given.kind === 'declare_ended', given.kind);
    });
  });

  it('an unconfirmed emergency stop is sent at the next tick with a reachable device', () => {
    fc.assert(
      fc.property(steps, (inputs) => {
        const stop = walk(begin('emergency_stop'), inputs).at(-1)?.command ?? begin('emergency_stop');
        const laterMs = Math.max(START_MS, stop.resentAtMs ?? START_MS) + MINUTE_MS;
        const next = { kind: 'tick', isReachable: true, isNewSession: false, isStopped: true } as const;
        assert.equal(advanceCommand(stop, next, laterMs).send, isOpen(stop) ? 'execute' : null);
      }),
      { numRuns: 500 },
    );
  });

  it('a second tick at the same time changes nothing', () => {
    fc.assert(
      fc.property(command, steps, tick, timeMs, (from, inputs, once, nowMs) => {
        const before = walk(from, inputs).at(-1)?.command ?? from;
        const ticked = advanceCommand(before, once, nowMs).command;
        const again = { ...once, isNewSession: false };
        assert.deepEqual(advanceCommand(ticked, again, nowMs), { command: ticked, send: null });
      }),
      { numRuns: 500 },
    );
  });
});

/** The faults in one second of a command. */
const second = fc.record({
  linkIsUp: fc.boolean(),
  messageIsLost: fc.boolean(),
  replyIsLost: fc.boolean(),
});
const CALM = Array(700).fill({ linkIsUp: true, messageIsLost: false, replyIsLost: false });

describe('with a device that answers truthfully in the end', () => {
  it('every command ends, in the state that the device is in', () => {
    fc.assert(
      fc.property(command, fc.array(second, { maxLength: 200 }), (from, troubles) => {
        let after = from;
        let carriedOut = 0;
        let doneAtMs = Number.POSITIVE_INFINITY;
        for (const [index, { linkIsUp, messageIsLost, replyIsLost }] of [...troubles, ...CALM].entries()) {
          const nowMs = START_MS + index * 1_000;
          const input: CommandInput =
            index === 0
              ? { kind: 'issue', isReachable: linkIsUp }
              : { kind: 'tick', isReachable: linkIsUp, isNewSession: false, isStopped: false };
          const { command: ticked, send } = advanceCommand(after, input, nowMs);
          after = ticked;
          if (send === null || !linkIsUp || messageIsLost) continue;
          if (send === 'execute' && carriedOut === 0) {
            carriedOut += 1;
            doneAtMs = nowMs + 10_000;
          }
          if (replyIsLost) continue;
          const done = nowMs >= doneAtMs ? 'succeeded' : 'executing';
          const state = carriedOut === 0 ? 'unknown' : done;
          ({ command: after } = advanceCommand(
            after,
            { kind: 'progress', state, reason: null, tsMs: nowMs },
            nowMs,
          ));
        }
        assert.equal(isOpen(after), false);
        if (carriedOut === 1) assert.equal(after.status, 'succeeded');
        else assert.ok(after.status === 'expired' || after.result?.reason === 'not_sent');
      }),
      { numRuns: 300 },
    );
  });
});
