import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ALERT_DOCUMENT } from '../alerts/document.ts';
import { COMMAND_DOCUMENT } from '../commands/document.ts';
import { configurationDocument, storedConfiguration } from '../configuration/document.ts';
import { MISSION_DOCUMENT } from '../missions/document.ts';
import { OPERATION_DOCUMENT } from '../operations/document.ts';
import { started } from '../testing/operation-situations.ts';
import type { DocumentContent, DocumentKind } from './versioned.ts';

const CONFIGURATION_DOCUMENT: DocumentKind<object> = {
  read: storedConfiguration,
  write: configurationDocument,
};

/** One document of version 0 and what it is read as, as far as that differs. */
interface Example {
  readonly document: DocumentKind<object>;
  readonly stored: DocumentContent;
  readonly added: object;
}

const MISSION = {
  ...{ missionId: 'ms_1', deviceNo: 1, status: 'in_progress', requested: 'cancel', requestSentAtMs: 70 },
  endedAtMs: null,
};
const STOP = { commandId: 'cmd_1', deviceNo: 1, command: 'emergency_stop', createdAtMs: 7, lastHeardAtMs: 9 };
const FAILED = { ...started, status: 'failed', failure: { reason: 'forgotten', message: 'it began not' } };
const { isOutcomeUnknown: _, reopenedAtMs: __, undelivered: ___, largestReportedG: ____, ...FIRST } = started;

const EXAMPLES: Readonly<Record<string, Example>> = {
  'an operation': {
    document: OPERATION_DOCUMENT as DocumentKind<object>,
    stored: { ...FIRST, amountCompletedG: 12 },
    added: { largestReportedG: 12, isOutcomeUnknown: false, reopenedAtMs: null, undelivered: null },
  },
  'an operation that claimed more than was known': {
    document: OPERATION_DOCUMENT as DocumentKind<object>,
    stored: FAILED,
    added: {
      isOutcomeUnknown: true,
      failure: {
        reason: 'outcome_unknown',
        message: 'the device does not know this operation, and whether it began was not reported',
      },
    },
  },
  'an emergency stop that is open': {
    document: COMMAND_DOCUMENT as DocumentKind<object>,
    stored: { ...STOP, status: 'sent' },
    added: { lastAnswer: null, latchedSinceMs: 7, declared: null, requestedBy: null },
  },
  'an emergency stop that has ended': {
    document: COMMAND_DOCUMENT as DocumentKind<object>,
    stored: { ...STOP, status: 'succeeded' },
    added: { lastAnswer: null, latchedSinceMs: null, declared: null, requestedBy: null },
  },
  'a mission': {
    document: MISSION_DOCUMENT as DocumentKind<object>,
    stored: MISSION,
    added: { isHaltedByStop: false, requestedAtMs: 70, declared: null, requestedBy: null, cancelledBy: null },
  },
  'an alert': {
    document: ALERT_DOCUMENT as DocumentKind<object>,
    stored: { alertId: 'al_1', deviceNo: 1, type: 'low_level', status: 'active' },
    added: { rule: null, acknowledgedWith: null, shelvedWith: null },
  },
  'a configuration': {
    document: CONFIGURATION_DOCUMENT,
    stored: { thresholds: { low_level: 20 }, alarms: { dead_band: 3 } },
    added: {
      reporting: { interval_s: 10, offline_delay_s: 30 },
      alarms: { dead_band: 3, on_delay_s: 0, off_delay_s: 5 },
      rules: [],
    },
  },
};

for (const [name, { document, stored, added }] of Object.entries(EXAMPLES)) {
  describe(`${name}, stored without a version`, () => {
    it('is read with what was added since', () => {
      assert.deepEqual(document.read(JSON.stringify(stored)), { ...stored, ...added });
    });

    it('is refused if its version is not known yet', () => {
      assert.throws(() => document.read(JSON.stringify({ ...stored, v: 1_000 })), /newer/);
    });

    it('does not change when it is upgraded again, whatever it held', () => {
      const kept = ['deviceNo', 'status'];
      const others = Object.keys(stored).filter((field) => !kept.includes(field));
      fc.assert(
        fc.property(fc.subarray(others), (missing) => {
          const partial = Object.entries(stored).filter(([field]) => !missing.includes(field));
          const read = document.read(JSON.stringify(Object.fromEntries(partial)));
          const plain: unknown = JSON.parse(JSON.stringify(read));
          assert.deepEqual(document.read(document.write(read)), plain);
          assert.deepEqual(document.read(JSON.stringify(read)), plain);
        }),
      );
    });
  });
}
