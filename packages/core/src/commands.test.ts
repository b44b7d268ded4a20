import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { COMMAND_NAMES, type CommandName, type CommandStatus } from '@granary/contract/commands';
import { type ErrorCode, Refusal } from '@granary/contract/errors';
import type { CommandState as ReportedState } from '@granary/contract/field-link';
import { DAY_MS, MINUTE_MS, toIso } from '@granary/contract/time';
import {
  beginCommand,
  COMMAND_RULES,
  type CommandState,
  commandMessage,
  commandRecord,
  isCommandSettled,
  refuseCommand,
} from './command-state.ts';
import { advanceCommand, COMMAND_TIMEOUT_MS, type CommandInput, commandWord } from './commands.ts';
import { EXPIRY_SKEW_MS, REPORT_SPACING_MS } from './device-talk.ts';
import { NEVER_SEEN } from './devices.ts';
import { initialFieldConfiguration } from './field-configuration.ts';
import { STOP_RESEND_MS } from './operations.ts';

const START_MS = 1_000_000_000_000;
const SOON_MS = START_MS + 1_000;

const begin = (command: Exclude<CommandName, 'move_to_coordinates'>): CommandState =>
  beginCommand({ commandId: 'cmd_1', deviceNo: 1, request: { command } }, START_MS);

const queued = begin('return_to_base');
const sent: CommandState = { ...queued, status: 'sent', sentAtMs: START_MS, resentAtMs: START_MS };
const heard = { acceptedAtMs: START_MS, lastHeardAtMs: START_MS } as const;
const ended = { ...sent, ...heard, endedAtMs: START_MS } as const;
const because = (reason: NonNullable<CommandState['result']>['reason']) => ({
  result: { reason, message: '' },
});

/** Every state that makes a difference. */
const SITUATIONS = {
  queued,
  sent,
  executing: { ...sent, ...heard, status: 'executing' },
  'timed out, unheard': { ...sent, ...because('no_answer'), status: 'timed_out', endedAtMs: START_MS },
  'timed out': { ...ended, ...because('no_answer'), status: 'timed_out' },
  expired: { ...queued, ...because('not_delivered'), status: 'expired', endedAtMs: START_MS },
  forgotten: { ...ended, ...because('forgotten'), status: 'failed' },
  succeeded: { ...ended, status: 'succeeded' },
  failed: { ...ended, ...because('device_fault'), status: 'failed' },
  rejected: { ...sent, ...because('refused'), status: 'rejected', endedAtMs: START_MS },
  cancelled: { ...queued, ...because('emergency_stop'), status: 'cancelled', endedAtMs: START_MS },
  'stop queued': begin('emergency_stop'),
  'stop sent': { ...begin('emergency_stop'), status: 'sent', sentAtMs: START_MS, resentAtMs: START_MS },
  'stop accepted': {
    ...sent,
    ...begin('emergency_stop'),
    ...heard,
    status: 'executing',
    resentAtMs: START_MS,
  },
} as const satisfies Record<string, CommandState>;

type Situation = keyof typeof SITUATIONS;

const progress = (state: ReportedState, tsMs = SOON_MS): CommandInput => ({
  kind: 'progress',
  state,
  reason: null,
  tsMs,
});
const online: CommandInput = { kind: 'tick', deviceOnline: true };
const offline: CommandInput = { kind: 'tick', deviceOnline: false };
const LATE_MS = START_MS + 30_000 + EXPIRY_SKEW_MS + 1;

const INPUTS = {
  cancel: [{ kind: 'cancel' }, SOON_MS],
  accepted: [{ kind: 'ack', accepted: true, reason: null }, SOON_MS],
  refused: [{ kind: 'ack', accepted: false, reason: 'stuck' }, SOON_MS],
  executing: [progress('executing'), SOON_MS],
  succeeded: [progress('succeeded'), SOON_MS],
  failed: [progress('failed'), SOON_MS],
  'given up': [progress('cancelled'), SOON_MS],
  'unknown in time': [progress('unknown'), SOON_MS],
  'unknown too late': [progress('unknown'), LATE_MS],
  'tick soon': [online, SOON_MS],
  'tick later': [online, START_MS + REPORT_SPACING_MS],
  'tick late': [online, START_MS + COMMAND_TIMEOUT_MS],
  'tick offline': [offline, SOON_MS],
  'tick offline, late': [offline, START_MS + COMMAND_TIMEOUT_MS],
} as const satisfies Record<string, readonly [CommandInput, number]>;

type Outcome = CommandStatus | `${CommandStatus}, send ${'execute' | 'report'}`;

const DECIDED = {
  succeeded: 'succeeded',
  failed: 'failed',
  rejected: 'rejected',
  cancelled: 'cancelled',
} as const;
const UNCHANGED = {
  queued: 'queued',
  sent: 'sent',
  executing: 'executing',
  'timed out, unheard': 'timed_out',
  'timed out': 'timed_out',
  expired: 'expired',
  forgotten: 'failed',
  ...DECIDED,
  'stop queued': 'queued',
  'stop sent': 'sent',
  'stop accepted': 'executing',
} as const;

/** The device's word decides whatever is not decided. */
const allBecome = (status: CommandStatus): Record<Situation, Outcome> => ({
  queued: status,
  sent: status,
  executing: status,
  'timed out, unheard': status,
  'timed out': status,
  expired: status,
  forgotten: status,
  ...DECIDED,
  'stop queued': status,
  'stop sent': status,
  'stop accepted': status,
});

const TABLE: Record<keyof typeof INPUTS, Record<Situation, Outcome>> = {
  cancel: { ...UNCHANGED, queued: 'cancelled' },
  accepted: { ...allBecome('executing'), 'timed out': 'timed_out', forgotten: 'failed' },
  refused: {
    ...allBecome('rejected'),
    executing: 'executing',
    'timed out': 'timed_out',
    forgotten: 'failed',
    'stop accepted': 'executing',
  },
  executing: allBecome('executing'),
  succeeded: allBecome('succeeded'),
  failed: allBecome('failed'),
  'given up': allBecome('cancelled'),
  'unknown in time': { ...UNCHANGED, executing: 'failed', 'timed out': 'failed' },
  'unknown too late': {
    ...UNCHANGED,
    sent: 'expired',
    executing: 'failed',
    'timed out, unheard': 'expired',
    'timed out': 'failed',
  },
  'tick soon': {
    ...UNCHANGED,
    queued: 'sent, send execute',
    'stop queued': 'sent, send execute',
    'stop sent': 'sent, send execute',
    'stop accepted': 'executing, send execute',
  },
  'tick later': {
    ...UNCHANGED,
    queued: 'sent, send execute',
    sent: 'sent, send report',
    executing: 'executing, send report',
    'timed out, unheard': 'timed_out, send report',
    'timed out': 'timed_out, send report',
    'stop queued': 'sent, send execute',
    'stop sent': 'sent, send execute',
    'stop accepted': 'executing, send execute',
  },
  'tick late': {
    ...UNCHANGED,
    queued: 'expired',
    sent: 'timed_out, send report',
    executing: 'timed_out, send report',
    'timed out, unheard': 'timed_out, send report',
    'timed out': 'timed_out, send report',
    'stop queued': 'sent, send execute',
    'stop sent': 'sent, send execute',
    'stop accepted': 'executing, send execute',
  },
  'tick offline': UNCHANGED,
  'tick offline, late': { ...UNCHANGED, queued: 'expired', sent: 'timed_out', executing: 'timed_out' },
};

const keysOf = <Key extends string>(record: Record<Key, unknown>): Key[] => Object.keys(record) as Key[];

for (const name of keysOf(INPUTS)) {
  describe(`a command, at ${name}`, () => {
    for (const situation of keysOf(SITUATIONS)) {
      const expected = TABLE[name][situation];
      it(`${situation}: ${expected}`, () => {
        const [input, nowMs] = INPUTS[name];
        const { command, send } = advanceCommand(SITUATIONS[situation], input, nowMs);
        assert.equal(send === null ? command.status : `${command.status}, send ${send}`, expected);
      });
    }
  });
}

const after = (from: CommandState, ...inputs: readonly (readonly [CommandInput, number])[]): CommandState =>
  inputs.reduce((command, [input, nowMs]) => advanceCommand(command, input, nowMs).command, from);

describe('a command', () => {
  it('tells why it did not succeed', () => {
    const reasonOf = (input: CommandInput) => after(sent, [input, SOON_MS]).result;
    assert.deepEqual(reasonOf(INPUTS.refused[0]), { reason: 'refused', message: 'stuck' });
    assert.equal(reasonOf(progress('failed'))?.reason, 'device_fault');
    assert.equal(reasonOf(progress('cancelled'))?.reason, 'superseded');
    assert.equal(after(queued, [offline, LATE_MS]).result?.reason, 'not_delivered');
    const timedOut = after(sent, [offline, LATE_MS]);
    assert.equal(timedOut.result?.reason, 'no_answer');
    assert.equal(after(timedOut, [progress('succeeded'), LATE_MS]).result, null);
  });

  it('is not ended by an old "unknown", but believes a clock that was set back', () => {
    const executing = after(sent, [progress('executing'), SOON_MS]);
    const doubted = after(executing, [progress('unknown', START_MS), SOON_MS]);
    assert.equal(doubted.status, 'executing');
    assert.equal(after(doubted, [progress('unknown', START_MS + 1), SOON_MS]).status, 'failed');
  });

  it('is asked about once in a while, and given up after a day', () => {
    const asked = after(sent, [online, START_MS + REPORT_SPACING_MS]);
    assert.equal(advanceCommand(asked, online, START_MS + 2 * REPORT_SPACING_MS - 1).send, null);
    const timedOut = after(sent, [online, START_MS + MINUTE_MS]);
    const lastMs = START_MS + MINUTE_MS + DAY_MS;
    assert.equal(advanceCommand(timedOut, online, lastMs).send, 'report');
    assert.equal(isCommandSettled(timedOut, lastMs + 1), true);
    assert.equal(advanceCommand(timedOut, online, lastMs + 1).command, timedOut);
  });

  it('that is an emergency stop is sent until it is confirmed, however long that takes', () => {
    const stop = after(SITUATIONS['stop queued'], [offline, START_MS + DAY_MS]);
    const { command, send } = advanceCommand(stop, online, START_MS + DAY_MS);
    assert.deepEqual([command.status, send, command.expiresAtMs], ['sent', 'execute', null]);
    const dueMs = START_MS + DAY_MS + STOP_RESEND_MS;
    assert.equal(advanceCommand(command, online, dueMs - 1).send, null);
    assert.equal(advanceCommand(command, online, dueMs).send, 'execute');
    assert.equal(after(command, [online, dueMs]).sentAtMs, START_MS + DAY_MS);
    const confirmed = after(command, [progress('succeeded'), dueMs]);
    assert.equal(advanceCommand(confirmed, online, dueMs + MINUTE_MS).send, null);
  });

  it('is told to callers and to the device', () => {
    const parameters = { latitude: 1, longitude: 2, altitude: 3 };
    const request = { command: 'move_to_coordinates', parameters } as const;
    const move = beginCommand({ commandId: 'cmd_2', deviceNo: 1, request }, START_MS);
    const expires_at = toIso(START_MS + 30_000);
    assert.deepEqual(commandMessage(move, 'report'), { command: 'report', command_id: 'cmd_2' });
    assert.deepEqual(commandMessage(move, 'execute'), {
      command: 'execute',
      command_id: 'cmd_2',
      name: 'move_to_coordinates',
      parameters,
      expires_at,
    });
    assert.deepEqual(commandRecord(after(move, [online, SOON_MS])), {
      command_id: 'cmd_2',
      command: 'move_to_coordinates',
      parameters,
      status: 'sent',
      created_at: toIso(START_MS),
      sent_at: toIso(SOON_MS),
      ended_at: null,
      expires_at,
      result: null,
    });
  });

  it('is read from what the device sends', () => {
    const word = commandWord({ command_id: 'cmd_1', state: 'failed', reason: 'x', ts: toIso(START_MS) });
    assert.deepEqual(word, { state: 'failed', reason: 'x', tsMs: START_MS });
  });
});

describe('before anything is sent', () => {
  const configuration = {
    ...initialFieldConfiguration(START_MS),
    geofence: [
      { lat: 0, lng: 0 },
      { lat: 0, lng: 1 },
      { lat: 1, lng: 0 },
    ],
  };
  const presence = {
    ...NEVER_SEEN,
    lastSeenAtMs: START_MS,
    linkDownAtMs: null,
    reportedState: 'online',
  } as const;
  const codeOf = (command: CommandName, change: object, latitude = 0.1): ErrorCode | 'accepted' => {
    const parameters = { latitude, longitude: 0.1, altitude: 0 };
    const request = command === 'move_to_coordinates' ? { command, parameters } : { command };
    try {
      refuseCommand(request, { presence: { ...presence, ...change }, configuration }, START_MS);
      return 'accepted';
    } catch (error) {
      assert.ok(error instanceof Refusal);
      return error.code;
    }
  };

  it('motion is refused of a device that is offline, the rest waits', () => {
    for (const command of COMMAND_NAMES) {
      const expected = COMMAND_RULES[command].isMotion ? 'device_offline' : 'accepted';
      assert.equal(codeOf(command, { linkDownAtMs: START_MS }), expected);
      assert.equal(codeOf(command, {}), 'accepted');
    }
  });

  it('everything but a stop is refused in maintenance', () => {
    for (const command of COMMAND_NAMES) {
      const expected = command === 'emergency_stop' ? 'accepted' : 'device_in_maintenance';
      assert.equal(codeOf(command, { reportedState: 'maintenance' }), expected);
    }
  });

  it('a target outside the geofence is refused', () => {
    assert.equal(codeOf('move_to_coordinates', {}, 0), 'accepted');
    assert.equal(codeOf('move_to_coordinates', {}, 0.95), 'outside_geofence');
  });
});
