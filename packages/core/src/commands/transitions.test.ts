import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { COMMAND_NAMES, type CommandName, type CommandStatus } from '@granary/contract/commands';
import { type ErrorCode, Refusal } from '@granary/contract/errors';
import type { CommandState as ReportedState } from '@granary/contract/link/field-messages';
import { sentence } from '@granary/contract/sentences/codes';
import { DAY_MS, MINUTE_MS, toIso } from '@granary/contract/time';
import { initialFieldConfiguration } from '../configuration/field-configuration.ts';
import { NEVER_SEEN } from '../devices/status.ts';
import { EXPIRY_SKEW_MS, MOTION_EXPIRY_MS, REPORT_SPACING_MS, STOP_RESEND_MS } from '../jobs/polling.ts';
import { emergencyStopSummary, stopInForce } from './emergency-stop.ts';
import { commandMessage, commandRecord } from './record.ts';
import { refuseCommand } from './refusals.ts';
import {
  beginCommand,
  COMMAND_DOCUMENT,
  COMMAND_RULES,
  COMMAND_TIMEOUT_MS,
  type CommandState,
  isCommandFinished,
} from './state.ts';
import { advanceCommand, type CommandInput, type CommandTick, commandReportContent } from './transitions.ts';

const START_MS = 1_000_000_000_000;
const SOON_MS = START_MS + 1_000;

const begin = (command: Exclude<CommandName, 'move_to_coordinates'>): CommandState =>
  beginCommand({ commandId: 'cmd_1', deviceNo: 1, request: { command } }, START_MS);

const queued = begin('return_to_base');
const sent: CommandState = { ...queued, status: 'sent', sentAtMs: START_MS, resentAtMs: START_MS };
const heard = { acceptedAtMs: START_MS, lastHeardAtMs: START_MS } as const;
const ended = { ...sent, ...heard, endedAtMs: START_MS } as const;
const because = (reason: NonNullable<CommandState['result']>['reason']) => ({
  result: { reason, message: sentence('no_word_of_it') },
});

const stopSent: CommandState = {
  ...begin('emergency_stop'),
  status: 'sent',
  sentAtMs: START_MS,
  resentAtMs: START_MS,
};

/** One command for each state that the transitions distinguish. */
const SITUATIONS = {
  queued,
  waiting: begin('hold'),
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
  'stop sent': stopSent,
  'stop accepted': { ...stopSent, ...heard, status: 'executing' },
  'stop refused': { ...stopSent, lastHeardAtMs: START_MS, lastAnswer: sentence('stop_refused', {}) },
  'stop confirmed': { ...stopSent, ...heard, status: 'succeeded', endedAtMs: START_MS },
} as const satisfies Record<string, CommandState>;

type Situation = keyof typeof SITUATIONS;

const progress = (state: ReportedState, tsMs = SOON_MS): CommandInput => ({
  kind: 'progress',
  state,
  reason: null,
  tsMs,
});
const online: CommandTick = { kind: 'tick', isReachable: true, isNewSession: false, isStopped: false };
const offline: CommandTick = { ...online, isReachable: false };
const LATE_MS = START_MS + MOTION_EXPIRY_MS + EXPIRY_SKEW_MS + 1;

const INPUTS = {
  issue: [{ kind: 'issue', isReachable: true }, SOON_MS],
  'issue to an absent device': [{ kind: 'issue', isReachable: false }, SOON_MS],
  'not sent': [{ kind: 'not_sent', delivery: 'not_connected' }, SOON_MS],
  'not sent in time': [{ kind: 'not_sent', delivery: 'expired' }, SOON_MS],
  release: [{ kind: 'release' }, SOON_MS],
  cancel: [{ kind: 'cancel' }, SOON_MS],
  accepted: [{ kind: 'ack', accepted: true, reason: null }, SOON_MS],
  refused: [{ kind: 'ack', accepted: false, reason: 'stuck' }, SOON_MS],
  executing: [progress('executing'), SOON_MS],
  succeeded: [progress('succeeded'), SOON_MS],
  failed: [progress('failed'), SOON_MS],
  cancelled: [progress('cancelled'), SOON_MS],
  'unknown in time': [progress('unknown'), SOON_MS],
  'unknown too late': [progress('unknown'), LATE_MS],
  'tick soon': [online, SOON_MS],
  'tick later': [online, START_MS + REPORT_SPACING_MS],
  'tick late': [online, START_MS + COMMAND_TIMEOUT_MS],
  'tick offline': [offline, SOON_MS],
  'tick offline, late': [offline, START_MS + COMMAND_TIMEOUT_MS],
  'tick while stopped': [{ ...online, isStopped: true }, SOON_MS],
} as const satisfies Record<string, readonly [CommandInput, number]>;

type Outcome = CommandStatus | `${CommandStatus}, send ${'execute' | 'report'}`;

const DECIDED = {
  succeeded: 'succeeded',
  failed: 'failed',
  rejected: 'rejected',
  cancelled: 'cancelled',
  'stop confirmed': 'succeeded',
} as const;
const UNCHANGED = {
  queued: 'queued',
  waiting: 'queued',
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
  'stop refused': 'sent',
} as const;

/** Only the report that the device stands still ends an emergency stop. */
const UNCONFIRMED = {
  'stop queued': 'sent',
  'stop sent': 'sent',
  'stop accepted': 'sent',
  'stop refused': 'sent',
} as const;
const REPEATED = {
  'stop queued': 'sent, send execute',
  'stop sent': 'sent, send execute',
  'stop accepted': 'executing, send execute',
  'stop refused': 'sent, send execute',
} as const;

/** The device's report decides every outcome that is not final yet. */
const allBecome = (status: CommandStatus): Record<Situation, Outcome> => ({
  queued: status,
  waiting: status,
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
  'stop refused': status,
});

const TABLE: Record<keyof typeof INPUTS, Record<Situation, Outcome>> = {
  issue: {
    ...UNCHANGED,
    queued: 'sent, send execute',
    waiting: 'sent, send execute',
    'stop queued': 'sent, send execute',
  },
  'issue to an absent device': { ...UNCHANGED, queued: 'failed' },
  'not sent': { ...UNCHANGED, sent: 'failed' },
  'not sent in time': { ...UNCHANGED, sent: 'expired' },
  release: UNCHANGED,
  cancel: { ...UNCHANGED, queued: 'cancelled', waiting: 'cancelled' },
  accepted: {
    ...allBecome('executing'),
    'timed out': 'timed_out',
    forgotten: 'failed',
    'stop refused': 'sent',
  },
  refused: {
    ...allBecome('rejected'),
    executing: 'executing',
    'timed out': 'timed_out',
    forgotten: 'failed',
    ...UNCONFIRMED,
  },
  executing: { ...allBecome('executing'), 'stop refused': 'sent' },
  succeeded: allBecome('succeeded'),
  failed: { ...allBecome('failed'), ...UNCONFIRMED },
  cancelled: { ...allBecome('cancelled'), ...UNCONFIRMED },
  'unknown in time': { ...UNCHANGED, executing: 'failed', 'timed out': 'failed', ...UNCONFIRMED },
  'unknown too late': {
    ...UNCHANGED,
    sent: 'expired',
    executing: 'failed',
    'timed out, unheard': 'expired',
    'timed out': 'failed',
    ...UNCONFIRMED,
  },
  'tick soon': { ...UNCHANGED, queued: 'failed', waiting: 'sent, send execute', ...REPEATED },
  'tick later': {
    ...UNCHANGED,
    queued: 'failed',
    waiting: 'sent, send execute',
    sent: 'sent, send report',
    executing: 'executing, send report',
    'timed out, unheard': 'timed_out, send report',
    'timed out': 'timed_out, send report',
    ...REPEATED,
  },
  'tick late': {
    ...UNCHANGED,
    queued: 'failed',
    waiting: 'sent, send execute',
    sent: 'timed_out, send report',
    executing: 'timed_out, send report',
    'timed out, unheard': 'timed_out, send report',
    'timed out': 'timed_out, send report',
    ...REPEATED,
  },
  'tick offline': { ...UNCHANGED, queued: 'failed' },
  'tick offline, late': { ...UNCHANGED, queued: 'failed', sent: 'timed_out', executing: 'timed_out' },
  'tick while stopped': { ...UNCHANGED, queued: 'cancelled', waiting: 'cancelled', ...REPEATED },
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
  it('has a result with the reason when it did not succeed', () => {
    const reasonOf = (input: CommandInput) => after(sent, [input, SOON_MS]).result;
    assert.deepEqual(reasonOf(INPUTS.refused[0]), {
      reason: 'refused',
      message: sentence('device_said', { words: 'stuck' }),
    });
    assert.equal(reasonOf(progress('failed'))?.reason, 'device_fault');
    assert.equal(reasonOf(progress('cancelled'))?.reason, 'superseded');
    assert.equal(after(queued, [offline, SOON_MS]).result?.reason, 'not_sent');
    const waiting = after(SITUATIONS.waiting, [offline, START_MS + 5 * MINUTE_MS]);
    assert.equal(waiting.status, 'queued');
    assert.equal(after(waiting, [offline, START_MS + 5 * MINUTE_MS + 1]).result?.reason, 'not_delivered');
    const timedOut = after(sent, [offline, START_MS + COMMAND_TIMEOUT_MS]);
    assert.equal(timedOut.result?.reason, 'no_answer');
    assert.equal(after(timedOut, [progress('succeeded'), LATE_MS]).result, null);
  });

  it('is not ended by an old "unknown", but accepts reports of a device clock that was set back', () => {
    const executing = after(sent, [progress('executing'), SOON_MS]);
    const doubted = after(executing, [progress('unknown', START_MS), SOON_MS]);
    assert.equal(doubted.status, 'executing');
    assert.equal(after(doubted, [progress('unknown', START_MS + 1), SOON_MS]).status, 'failed');
  });

  it('is asked for a report at intervals, and not any more after a day', () => {
    const asked = after(sent, [online, START_MS + REPORT_SPACING_MS]);
    assert.equal(advanceCommand(asked, online, START_MS + 2 * REPORT_SPACING_MS - 1).send, null);
    const timedOut = after(sent, [online, START_MS + MINUTE_MS]);
    const lastMs = START_MS + MINUTE_MS + DAY_MS;
    assert.equal(advanceCommand(timedOut, online, lastMs).send, 'report');
    assert.equal(isCommandFinished(timedOut, lastMs + 1), true);
    assert.equal(advanceCommand(timedOut, online, lastMs + 1).command, timedOut);
  });

  it('that is an emergency stop is sent until it is confirmed, however long that takes', () => {
    const stop = after(SITUATIONS['stop queued'], [offline, START_MS + DAY_MS]);
    const { command, send } = advanceCommand(stop, online, START_MS + DAY_MS);
    assert.deepEqual([command.status, send, command.expiresAtMs], ['sent', 'execute', null]);
    const dueMs = START_MS + DAY_MS + STOP_RESEND_MS;
    assert.equal(advanceCommand(command, online, dueMs - 1).send, null);
    assert.equal(advanceCommand(command, { ...online, isNewSession: true }, dueMs - 1).send, 'execute');
    assert.equal(advanceCommand(command, online, dueMs).send, 'execute');
    assert.equal(after(command, [online, dueMs]).sentAtMs, START_MS + DAY_MS);
    const confirmed = after(command, [progress('succeeded'), dueMs]);
    assert.equal(advanceCommand(confirmed, online, dueMs + MINUTE_MS).send, null);
  });

  it('that may wait for the device and could not be sent is queued again', () => {
    const held = after(SITUATIONS.waiting, [online, SOON_MS]);
    const back = after(held, [{ kind: 'not_sent', delivery: 'not_subscribed' }, SOON_MS]);
    assert.deepEqual([back.status, back.sentAtMs], ['queued', null]);
    assert.equal(advanceCommand(back, online, SOON_MS).send, 'execute');
  });

  it('has a record for callers and a message for the device', () => {
    const parameters = { latitude: 1, longitude: 2, altitude: 3 };
    const request = { command: 'move_to_coordinates', parameters } as const;
    const move = beginCommand({ commandId: 'cmd_2', deviceNo: 1, request }, START_MS);
    const expires_at = toIso(START_MS + MOTION_EXPIRY_MS);
    assert.deepEqual(commandMessage(move, 'report'), { command: 'report', command_id: 'cmd_2' });
    assert.deepEqual(commandMessage(move, 'execute'), {
      command: 'execute',
      command_id: 'cmd_2',
      name: 'move_to_coordinates',
      parameters,
      expires_at,
    });
    assert.deepEqual(commandRecord(after(move, [{ kind: 'issue', isReachable: true }, SOON_MS])), {
      command_id: 'cmd_2',
      command: 'move_to_coordinates',
      parameters,
      status: 'sent',
      status_code: 'command_sent',
      status_values: { until: toIso(SOON_MS + COMMAND_TIMEOUT_MS) },
      status_detail: `It was sent; the device has not answered yet and is asked until ${toIso(SOON_MS + COMMAND_TIMEOUT_MS)}.`,
      created_at: toIso(START_MS),
      sent_at: toIso(SOON_MS),
      ended_at: null,
      expires_at,
      result: null,
      declared: null,
      requested_by: null,
    });
  });

  it("is updated from the device's report", () => {
    const word = commandReportContent({
      command_id: 'cmd_1',
      state: 'failed',
      reason: 'x',
      ts: toIso(START_MS),
    });
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
  const based = { ...configuration, base: { latitude: 0.1, longitude: 0.1, altitude: 0 } };
  const refusalOf = (command: CommandName, change: object, latitude = 0.1): Refusal | null => {
    const parameters = { latitude, longitude: 0.1, altitude: 0 };
    const request = command === 'move_to_coordinates' ? { command, parameters } : { command };
    const device = { presence, configuration, commands: [], isReachable: true, ...change };
    try {
      refuseCommand(request, device, START_MS);
      return null;
    } catch (error) {
      assert.ok(error instanceof Refusal);
      return error;
    }
  };
  const codeOf = (...asked: Parameters<typeof refusalOf>): ErrorCode | 'accepted' =>
    refusalOf(...asked)?.code ?? 'accepted';

  it('only what moves nothing may wait for a device without a session', () => {
    for (const command of COMMAND_NAMES) {
      const expected = ['hold', 'emergency_stop'].includes(command) ? 'accepted' : 'device_offline';
      assert.equal(codeOf(command, { isReachable: false }), expected, command);
      assert.equal(COMMAND_RULES[command].needsSession, expected === 'device_offline');
      assert.equal(codeOf(command, { configuration: based }), 'accepted');
    }
  });

  it('a return to base is refused without a base', () => {
    assert.equal(codeOf('return_to_base', {}), 'no_base');
    assert.equal(codeOf('return_to_base', { configuration: based }), 'accepted');
  });

  it('the refusal distinguishes a device that reports over HTTP only from one that is offline', () => {
    const away = { ...presence, linkDownAtMs: START_MS };
    const messageOf = (change: object) =>
      refusalOf('return_to_base', { isReachable: false, ...change })?.message ?? '';
    assert.match(messageOf({}), /sends readings, but is not connected for commands/);
    assert.equal(messageOf({ presence: away }), 'the device is offline');
  });

  it('everything but a stop and its release is refused in maintenance', () => {
    for (const command of COMMAND_NAMES) {
      const expected = command.endsWith('emergency_stop') ? 'accepted' : 'device_in_maintenance';
      assert.equal(codeOf(command, { presence: { ...presence, reportedState: 'maintenance' } }), expected);
    }
  });

  it('everything but a stop and its release is refused while an emergency stop is in force', () => {
    for (const stop of ['stop queued', 'stop refused', 'stop confirmed'] as const) {
      for (const command of COMMAND_NAMES.filter((name) => !name.endsWith('emergency_stop'))) {
        assert.equal(codeOf(command, { commands: [SITUATIONS[stop]] }), 'emergency_stop_active', command);
      }
      assert.equal(codeOf('emergency_stop', { commands: [SITUATIONS[stop]] }), 'accepted');
    }
  });

  it('a release is refused until the stop is confirmed, and allowed without any stop', () => {
    const release = (commands: readonly CommandState[]) => codeOf('release_emergency_stop', { commands });
    assert.equal(release([SITUATIONS['stop sent']]), 'emergency_stop_unconfirmed');
    assert.equal(release([SITUATIONS['stop refused']]), 'emergency_stop_unconfirmed');
    assert.equal(release([SITUATIONS['stop confirmed']]), 'accepted');
    assert.equal(release([]), 'accepted');
  });

  it('a target outside the geofence is refused', () => {
    assert.equal(codeOf('move_to_coordinates', {}, 0), 'accepted');
    assert.equal(codeOf('move_to_coordinates', {}, 0.95), 'outside_geofence');
  });
});

describe('an emergency stop', () => {
  const confirmed = SITUATIONS['stop confirmed'];

  it('is in force from its request until its release, whether confirmed or not', () => {
    for (const stop of [SITUATIONS['stop queued'], SITUATIONS['stop refused'], confirmed]) {
      assert.equal(stopInForce([sent, stop]), stop);
      assert.equal(isCommandFinished(stop, START_MS + DAY_MS), false);
    }
    assert.deepEqual(emergencyStopSummary(confirmed), {
      active: true,
      confirmed: true,
      since: toIso(START_MS),
      command_id: 'cmd_1',
    });
    const released = after(confirmed, [{ kind: 'release' }, SOON_MS]);
    assert.equal(stopInForce([released]), undefined);
    assert.equal(isCommandFinished(released, SOON_MS), true);
    assert.equal(emergencyStopSummary(undefined).active, false);
  });

  it('shows the last answer of the device', () => {
    const detailOf = (...inputs: Parameters<typeof after> extends [unknown, ...infer Rest] ? Rest : never) =>
      commandRecord(after(stopSent, ...inputs)).status_detail;
    assert.match(detailOf(INPUTS.refused), /last answer: it refused the stop \(stuck\)/);
    assert.match(detailOf(INPUTS.failed), /last answer: it could not stop/);
    assert.match(detailOf(INPUTS.refused, INPUTS.succeeded), /until a person releases the emergency stop/);
  });

  it('is read as it was stored', () => {
    assert.deepEqual(COMMAND_DOCUMENT.read(COMMAND_DOCUMENT.write(stopSent)), stopSent);
  });
});

describe('the detail of a command', () => {
  it('is one sentence in every state', () => {
    for (const command of Object.values(SITUATIONS)) {
      assert.match(commandRecord(command).status_detail, /^[A-Z][^.]*[^.]+(\.\d{3}Z[^.]*)*\.$/);
    }
  });
});
