import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { COMMAND_STATUSES } from '@granary/contract/commands';
import { COMMAND_STATES } from '@granary/contract/field-link';
import { MINUTE_MS } from '@granary/contract/time';
import fc from 'fast-check';
import { beginCommand, type CommandState, isDecided, isEmergencyStop, isOpen } from './command-state.ts';
import { advanceCommand, type CommandAdvance, type CommandInput } from './commands.ts';

const START_MS = 1_000_000_000_000;

const begin = (command: 'return_to_base' | 'scan' | 'emergency_stop'): CommandState =>
  beginCommand({ commandId: 'cmd_1', deviceNo: 1, request: { command } }, START_MS);
const command = fc.constantFrom(begin('return_to_base'), begin('scan'), begin('emergency_stop'));

const timeMs = fc.integer({ min: -MINUTE_MS, max: 10 * MINUTE_MS }).map((sinceMs) => START_MS + sinceMs);
const tick = fc.record({ kind: fc.constant('tick' as const), deviceOnline: fc.boolean() });
const input: fc.Arbitrary<CommandInput> = fc.oneof(
  fc.constant({ kind: 'cancel' } as const),
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

interface Step extends CommandAdvance {
  readonly before: CommandState;
  readonly input: CommandInput;
}

/** Everything that happens to a command in a walk. Time jumps to and fro: the clock promises nothing. */
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

  it('what the device has decided stays so', () => {
    onEveryStep(({ before, command: after }) => {
      if (isDecided(before)) assert.equal(after, before);
    });
  });

  it('only time sends anything, and a command that moves is sent once at most', () => {
    onEveryWalk((walked) => {
      for (const { input: given, send } of walked) if (send !== null) assert.equal(given.kind, 'tick');
      const sent = walked.filter(({ before, send }) => send === 'execute' && !isEmergencyStop(before));
      assert.ok(sent.length <= 1);
    });
  });

  it('an emergency stop never expires, never times out and is never cancelled by us', () => {
    onEveryStep(({ before, input: given, command: after }) => {
      if (!isEmergencyStop(after)) return;
      assert.ok(after.status !== 'expired' && after.status !== 'timed_out');
      if (isOpen(before) && !isOpen(after)) assert.ok(given.kind === 'ack' || given.kind === 'progress');
    });
  });

  it('ticking twice at one time is ticking once', () => {
    fc.assert(
      fc.property(command, steps, tick, timeMs, (from, inputs, once, nowMs) => {
        const before = walk(from, inputs).at(-1)?.command ?? from;
        const ticked = advanceCommand(before, once, nowMs).command;
        assert.deepEqual(advanceCommand(ticked, once, nowMs), { command: ticked, send: null });
      }),
      { numRuns: 500 },
    );
  });
});

/** What goes wrong in one second of a command's life. */
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
          const { command: ticked, send } = advanceCommand(
            after,
            { kind: 'tick', deviceOnline: linkIsUp },
            nowMs,
          );
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
        assert.equal(after.status, carriedOut === 1 ? 'succeeded' : 'expired');
      }),
      { numRuns: 300 },
    );
  });
});
