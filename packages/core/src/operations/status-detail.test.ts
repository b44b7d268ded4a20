import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inEnglish } from '@granary/contract/sentences/english';
import { MINUTE_MS } from '@granary/contract/time';
import { beginOperation, type OperationState, unsolicitedOperation } from './state.ts';
import { notSentRefusal, shownFailure, statusDetail } from './status-detail.ts';
import { advanceOperation, type OperationInput, type Tick } from './transitions.ts';

const START_MS = Date.parse('2026-03-01T12:00:00Z');
const S = 1_000;

const started = beginOperation(
  {
    operationId: 'op_1',
    deviceNo: 1,
    type: 'feed',
    weight: { valueG: 5_000_000, tsMs: START_MS },
    plan: {
      amountG: 400_000,
      unit: 'kg',
      rateGPerMin: 100_000,
      rateUnit: 'kg/min',
      targetContainer: null,
      maxAmountG: 408_000,
      maxDurationMs: 7 * MINUTE_MS,
      expiresAtMs: START_MS + 10 * S,
    },
  },
  START_MS,
);

const after = (
  from: OperationState,
  ...inputs: readonly (readonly [atS: number, input: OperationInput])[]
): OperationState =>
  inputs.reduce(
    (operation, [atS, input]) => advanceOperation(operation, input, START_MS + atS * S).operation,
    from,
  );

const acknowledged = { kind: 'ack', accepted: true, reason: null } as const;
const stop = { kind: 'stop' } as const;
const says = (state: 'running' | 'completed' | 'stopped' | 'failed' | 'unknown', atS: number, amountKg = 0) =>
  [
    atS,
    { kind: 'progress', state, amountG: amountKg * 1_000, reason: null, tsMs: START_MS + atS * S },
  ] as const;
const tick = (
  atS: number,
  { isReachable = true, movedKg }: { isReachable?: boolean; movedKg?: number } = {},
): readonly [number, Tick] => [
  atS,
  {
    kind: 'tick',
    isReachable,
    isNewSession: false,
    capacityG: 10_000_000,
    weight: movedKg === undefined ? null : { valueG: 5_000_000 + movedKg * 1_000, tsMs: START_MS + atS * S },
  },
];

const byHand = unsolicitedOperation(
  1,
  { operation_id: 'by-hand', state: 'running', amount_kg: 3, ts: START_MS },
  START_MS,
);
assert.ok(byHand !== null);

const running = after(started, [1, acknowledged], says('running', 5, 100));

const DETAILS: readonly (readonly [string, OperationState, RegExp])[] = [
  ['started', started, /acknowledgement is awaited until 2026-03-01T12:00:10.000Z/],
  [
    'acknowledged',
    after(started, [1, acknowledged]),
    /acknowledged the start and has yet to report progress/,
  ],
  [
    'in progress',
    running,
    /reported 100 kg of 400 kg moved; its end is awaited until 2026-03-01T12:07:31.000Z/,
  ],
  ['started at the device', byHand, /reported 3 kg moved; it was started at the device/],
  [
    'without an acknowledgement',
    after(started, tick(10)),
    /not acknowledged the start and may begin until 2026-03-01T12:00:12.000Z; it is asked until it answers/,
  ],
  [
    'without a link',
    after(running, tick(20, { isReachable: false })),
    /Nothing was heard of it since 2026-03-01T12:00:05.000Z.*until 2026-03-01T12:07:01.000Z by its own limit.*asked as soon as it is connected/,
  ],
  [
    'being stopped',
    after(running, [9, stop]),
    /stop was requested at 2026-03-01T12:00:09.000Z; .*repeated until the device confirms it\.$/,
  ],
  [
    'being stopped before it was acknowledged',
    after(started, [3, stop]),
    /repeated until the device confirms it, or until it says after 2026-03-01T12:00:12.000Z that it does not know/,
  ],
  [
    'moving again',
    after(running, says('stopped', 10, 120), says('running', 20, 121)),
    /moved again at 2026-03-01T12:00:20.000Z after it had ended; the stop is repeated/,
  ],
  [
    'stopped after it moved again',
    after(running, says('stopped', 10, 120), says('running', 20, 121), says('stopped', 21, 121)),
    /confirmed the stop, with 121 kg moved.*had moved again at 2026-03-01T12:00:20.000Z after an earlier end/,
  ],
  ['completed', after(running, says('completed', 30, 400)), /completed the operation, with 400 kg moved\.$/],
  [
    'completed and weighed',
    after(running, says('completed', 30, 400), tick(31, { movedKg: 390 })),
    /with 400 kg moved; the scale shows 390 kg moved/,
  ],
  [
    'stopped, but not known to the device',
    after(running, tick(6, { movedKg: 198 }), [9, stop], says('unknown', 10)),
    /does not know the operation, so it is not running; its last report said 100 kg moved.*not reported; while it ran, the scale showed 198 kg moved/,
  ],
  [
    'forgotten by the device',
    after(running, tick(6, { movedKg: 198 }), says('unknown', 10)),
    /no longer knows this operation, and how much it moved was not reported; while it ran, the scale showed 198 kg moved/,
  ],
  [
    'never acknowledged and not known to the device',
    after(started, tick(11), says('unknown', 13)),
    /whether it began was not reported; the scale has not reported since the start/,
  ],
  [
    'refused',
    after(started, [1, { kind: 'ack', accepted: false, reason: 'the gate is jammed' }]),
    /refused the start, so nothing was moved: the gate is jammed/,
  ],
  [
    'not sent',
    after(started, [0, { kind: 'not_sent', why: 'not_connected' }]),
    /^The start was not sent, so nothing moved: the device is not connected\.$/,
  ],
  [
    'stopped by the watchdog',
    after(running, tick(500), says('running', 501, 100), tick(502)),
    /being stopped because it ran longer than its limit; the stop is repeated/,
  ],
  [
    'failed by the device',
    after(running, says('failed', 9, 110)),
    /the device gave no reason; the device reported 110 kg moved/,
  ],
];

describe('the status detail of an operation', () => {
  for (const [name, operation, expected] of DETAILS) {
    it(`that is ${name}`, () => {
      const detail = inEnglish(statusDetail(operation));
      assert.match(detail, expected);
      assert.match(detail, /^[A-Z].*\.$/);
    });
  }

  it('claims that nothing moved only if it was refused or never sent', () => {
    for (const [name, operation] of DETAILS) {
      const mayClaim = ['refused', 'not_sent'].includes(operation.failure?.reason ?? '');
      assert.equal(/nothing (was )?moved/.test(inEnglish(statusDetail(operation))), mayClaim, name);
    }
  });
});

describe('an operation whose outcome nobody reported', () => {
  it('shows the measured amount in its failure, also when it was measured after the end', () => {
    const forgotten = after(running, says('unknown', 10), tick(11, { movedKg: 198 }));
    const shown = shownFailure(forgotten);
    assert.match(shown === null ? '' : inEnglish(shown.message), /the scale shows 198 kg moved$/);
    assert.equal(forgotten.failure?.reason, 'outcome_unknown');
  });
});

describe('a start that was not sent', () => {
  it('is a refusal that names the cause', () => {
    const offline = notSentRefusal(after(started, [0, { kind: 'not_sent', why: 'not_connected' }]));
    assert.equal(offline?.code, 'device_offline');
    assert.match(
      offline?.message ?? '',
      /^the start was not sent, so nothing moved: the device is not connected$/,
    );
    const expired = notSentRefusal(after(started, [0, { kind: 'not_sent', why: 'expired' }]));
    assert.equal(expired?.code, 'start_expired');
    assert.equal(notSentRefusal(running), null);
  });
});
