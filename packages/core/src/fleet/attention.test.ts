import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ATTENTION_ITEMS_MAX } from '@granary/contract/fleet';
import { sentence } from '@granary/contract/sentences/codes';
import { messageOf } from '@granary/contract/sentences/english';
import { alertWith } from '@granary/testing/core/alerts';
import type { AlertState } from '../alerts/lifecycle.ts';
import { beginCommand, type CommandState } from '../commands/state.ts';
import { type OperationState, unsolicitedOperation } from '../operations/state.ts';
import { type AttentionFacts, attentionList, type OfDevice } from './attention.ts';

const LOW = sentence('level_below', { level: 3, limit: 20 });
const NOW_MS = Date.UTC(2026, 5, 15, 12);

const of = <State>(deviceId: string, state: State): OfDevice<State> => ({ deviceId, name: deviceId, state });

const stop = (fields: Partial<CommandState> = {}): CommandState => ({
  ...beginCommand({ commandId: 'cmd_1', deviceNo: 1, request: { command: 'emergency_stop' } }, NOW_MS),
  ...fields,
});

const alert = (fields: Partial<AlertState>): AlertState =>
  alertWith({ message: LOW, createdAtMs: NOW_MS, ...fields });

function operation(fields: Partial<OperationState>): OperationState {
  const progress = { operation_id: 'op_1', state: 'running', amount_kg: 1, ts: NOW_MS } as const;
  const begun = unsolicitedOperation(1, progress, NOW_MS);
  assert(begun !== null);
  return { ...begun, ...fields };
}

const NOTHING: AttentionFacts = { emergencyStops: [], operations: [], alerts: [], offline: [] };

const summary = (facts: Partial<AttentionFacts>): string[] =>
  attentionList({ ...NOTHING, ...facts }, NOW_MS).attention.map(
    ({ device_id, what }) => `${device_id} ${what}`,
  );

describe('what needs attention', () => {
  it('is nothing when there is nothing', () => {
    assert.deepEqual(attentionList(NOTHING, NOW_MS), { attention: [], attention_more: false });
  });

  it('is the critical level of a silo, and not its low level besides', () => {
    const critical = alert({ type: 'critical_level', severity: 'critical' });
    const low = alert({ type: 'low_level' });
    assert.deepEqual(summary({ alerts: [of('a', low), of('a', critical), of('b', low)] }), [
      'a critical_alert',
      'b warning_alert',
    ]);
  });

  it('is ordered by urgency, whatever the order of the facts', () => {
    const confirmed = stop({ status: 'succeeded', endedAtMs: NOW_MS });
    assert.deepEqual(
      summary({
        alerts: [of('a', alert({})), of('b', alert({ severity: 'critical' }))],
        offline: [{ deviceId: 'c', name: 'c', lastSeenAtMs: NOW_MS - 1 }],
        operations: [
          of('d', operation({ status: 'unconfirmed' })),
          of('e', operation({ status: 'stopping' })),
        ],
        emergencyStops: [of('f', confirmed), of('g', stop())],
      }),
      [
        'g emergency_stop_unconfirmed',
        'e stop_unconfirmed',
        'b critical_alert',
        'c offline_with_job',
        'd operation_unconfirmed',
        'f emergency_stop_in_force',
        'a warning_alert',
      ],
    );
  });

  it('begins, within the same urgency, with what waits longest', () => {
    const since = (deviceId: string, createdAtMs: number) => of(deviceId, alert({ createdAtMs }));
    assert.deepEqual(summary({ alerts: [since('new', NOW_MS), since('old', NOW_MS - 5)] }), [
      'old warning_alert',
      'new warning_alert',
    ]);
  });

  it('does not name an unconfirmed emergency stop twice', () => {
    const ofStop = alert({ type: 'emergency_stop_unconfirmed', severity: 'critical' });
    assert.deepEqual(
      summary({ emergencyStops: [of('a', stop())], alerts: [of('a', ofStop), of('b', ofStop)] }),
      ['a emergency_stop_unconfirmed', 'b critical_alert'],
    );
  });

  it('says since when, what for a person, and about which record', () => {
    const [item] = attentionList({ ...NOTHING, alerts: [of('a', alert({ message: LOW }))] }, 0).attention;
    assert.deepEqual(item, {
      device_id: 'a',
      name: 'a',
      what: 'warning_alert',
      since: '2026-06-15T12:00:00.000Z',
      ...messageOf(LOW),
      id: 'al_1',
    });
  });

  it('is limited', () => {
    const alerts = Array.from({ length: 50 }, (_, i) => of(`d${i}`, alert({})));
    assert.equal(summary({ alerts }).length, ATTENTION_ITEMS_MAX);
    const isMore = (count: number): boolean =>
      attentionList({ ...NOTHING, alerts: alerts.slice(0, count) }, NOW_MS).attention_more;
    assert.deepEqual([ATTENTION_ITEMS_MAX, ATTENTION_ITEMS_MAX + 1].map(isMore), [false, true]);
  });

  it('is not only the many alerts of one kind, where something else needs attention, too', () => {
    const critical = Array.from({ length: 21 }, (_, i) =>
      of(`d${i}`, alert({ type: 'critical_level', severity: 'critical', createdAtMs: NOW_MS + i })),
    );
    const found = summary({
      alerts: [...critical, of('warm', alert({ type: 'sensor_threshold', createdAtMs: NOW_MS + 30 }))],
      offline: [{ deviceId: 'silent', name: 'silent', lastSeenAtMs: NOW_MS }],
    });
    assert.equal(found.length, ATTENTION_ITEMS_MAX);
    assert.deepEqual(
      [found[0], ...found.slice(-2)],
      ['d0 critical_alert', 'silent offline_with_job', 'warm warning_alert'],
    );
  });
});
