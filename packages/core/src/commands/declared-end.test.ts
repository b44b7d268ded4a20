import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { COMMAND_STATES } from '@granary/contract/link/field-messages';
import { sentence } from '@granary/contract/sentences/codes';
import { MINUTE_MS, toIso } from '@granary/contract/time';
import { EXPIRY_SKEW_MS, MOTION_EXPIRY_MS } from '../jobs/polling.ts';
import { refuseDeclaration } from './declared-end.ts';
import { emergencyStopSummary, refuseRelease, STOP_CONFIRMATION_MS_MAX } from './emergency-stop.ts';
import { commandRecord } from './record.ts';
import { beginCommand, type CommandState } from './state.ts';
import { advanceCommand, type CommandInput } from './transitions.ts';

const START_MS = 1_000_000_000_000;
const GONE_MS = START_MS + MOTION_EXPIRY_MS + EXPIRY_SKEW_MS + 1;
const DECLARATION = { reason: 'it stands in the yard', looked_by: 'Ada', by: null };

const begin = (command: 'return_to_base' | 'hold' | 'emergency_stop'): CommandState =>
  beginCommand({ commandId: 'cmd_1', deviceNo: 1, request: { command } }, START_MS);
const sentOf = (command: CommandState): CommandState => ({
  ...command,
  status: 'sent',
  sentAtMs: START_MS,
  resentAtMs: START_MS,
});
const sent = sentOf(begin('return_to_base'));
const executing: CommandState = { ...sent, status: 'executing', acceptedAtMs: START_MS };
const timedOut: CommandState = {
  ...executing,
  status: 'timed_out',
  endedAtMs: START_MS,
  result: { reason: 'no_answer', message: sentence('no_word_of_it') },
};
const succeeded: CommandState = { ...executing, status: 'succeeded', endedAtMs: START_MS };
const stop = sentOf(begin('emergency_stop'));
const OVERDUE_MS = START_MS + STOP_CONFIRMATION_MS_MAX;

const CASES: readonly (readonly [string, CommandState, boolean, nowMs: number, refusal: RegExp | null])[] = [
  ['a queued command', begin('hold'), false, GONE_MS, /has not been sent, and expires/],
  ['a sent command that may still arrive', sent, false, GONE_MS - 1, /may still begin the command until/],
  ['a sent command of an absent device', sent, false, GONE_MS, null],
  ['a sent command of a connected device', sent, true, GONE_MS, /is connected and is asked/],
  ['a command that an absent device has begun', executing, false, START_MS + 1, null],
  ['a command that a connected device has begun', executing, true, GONE_MS, /is connected/],
  ['a hold that was sent to an absent device', sentOf(begin('hold')), false, START_MS + 1, null],
  ['a command that timed out', timedOut, true, START_MS + 1, null],
  ['a command that succeeded', succeeded, false, GONE_MS, /already ended as succeeded/],
  ['an emergency stop that may still be confirmed', stop, true, OVERDUE_MS - 1, /may still confirm/],
  ['an emergency stop of a connected device', stop, true, OVERDUE_MS, null],
  ['an emergency stop that could not be sent', begin('emergency_stop'), false, OVERDUE_MS, null],
];

const declare = (command: CommandState, isReachable: boolean, nowMs: number): CommandState =>
  advanceCommand(command, { kind: 'declare_ended', declaration: DECLARATION, isReachable }, nowMs).command;

const report = (state: (typeof COMMAND_STATES)[number]): CommandInput => ({
  kind: 'progress',
  state,
  reason: null,
  tsMs: GONE_MS,
});

describe('the end of a command is declared', () => {
  for (const [name, command, isReachable, nowMs, refusal] of CASES) {
    it(`${name}: ${refusal === null ? 'accepted' : 'refused'}`, () => {
      const check = () => refuseDeclaration(command, { isReachable, nowMs });
      if (refusal === null) check();
      else assert.throws(check, refusal);
      const after = declare(command, isReachable, nowMs);
      if (refusal !== null) return assert.equal(after, command);
      assert.deepEqual([after.status, after.result?.reason], ['failed', 'declared_ended']);
      assert.equal(declare(after, isReachable, nowMs + MINUTE_MS), after);
      refuseDeclaration(after, { isReachable, nowMs });
    });
  }

  it('and recorded with who looked and why, and never as a report of the device', () => {
    const { declared, status_detail } = commandRecord(declare(executing, false, GONE_MS));
    assert.deepEqual(declared, { ...DECLARATION, at: toIso(GONE_MS) });
    assert.match(
      status_detail,
      /^It was declared ended by Ada \(it stands in the yard\); the device did not report it\.$/,
    );
  });

  it('and a late report of the device still decides', () => {
    const declared = declare(executing, false, GONE_MS);
    const after = (input: CommandInput) => advanceCommand(declared, input, GONE_MS + 1).command;
    assert.equal(after(report('succeeded')).status, 'succeeded');
    assert.equal(after(report('executing')).status, 'executing');
    assert.equal(after(report('unknown')).result?.reason, 'declared_ended');
    assert.equal(after(report('succeeded')).declared?.lookedBy, 'Ada');
  });
});

describe('an emergency stop that was declared ended', () => {
  const declared = declare(stop, true, OVERDUE_MS);
  const tick = { kind: 'tick', isReachable: true, isNewSession: true, isStopped: true } as const;

  it('is not repeated, stays in force, and is not shown as confirmed', () => {
    assert.deepEqual(advanceCommand(declared, tick, OVERDUE_MS + MINUTE_MS), {
      command: declared,
      send: null,
    });
    assert.partialDeepStrictEqual(emergencyStopSummary(declared), { active: true, confirmed: false });
    assert.match(commandRecord(declared).status_detail, /stays in force until a person releases it/);
  });

  it('can be released', () => refuseRelease([declared]));

  it('is confirmed by the late report that the device stands still', () => {
    assert.equal(advanceCommand(declared, report('succeeded'), GONE_MS).command.status, 'succeeded');
  });

  for (const state of COMMAND_STATES.filter((one) => one !== 'succeeded')) {
    it(`is repeated again when the device reports ${state}`, () => {
      const { command } = advanceCommand(declared, report(state), GONE_MS);
      assert.equal(command.endedAtMs, null);
      assert.equal(advanceCommand(command, tick, GONE_MS + MINUTE_MS).send, 'execute');
    });
  }
});
