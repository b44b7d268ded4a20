import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SIMULATED_PROFILES } from '../profiles/profiles.ts';
import { checkFault, FaultPlanError, parseFaultPlan } from './fault-plan.ts';

test('a plan is parsed from its text', () => {
  const plan = parseFaultPlan(
    'silo-03:link-loss, rover-01:skip-waypoint,silo-03:late,weather-01:dropout',
    SIMULATED_PROFILES,
  );
  assert.deepEqual(
    plan,
    new Map([
      ['silo-03', new Set(['link-loss', 'late'])],
      ['rover-01', new Set(['skip-waypoint'])],
      ['weather-01', new Set(['dropout'])],
    ]),
  );
});

test('an invalid plan is refused with the valid names', () => {
  const refused = (text: string, message: RegExp) =>
    assert.throws(
      () => parseFaultPlan(text, SIMULATED_PROFILES),
      (failure) => {
        assert.ok(failure instanceof FaultPlanError);
        assert.match(failure.message, message);
        return true;
      },
    );
  refused(
    'silo-99:stuck',
    /"silo-99" is not a simulated device; there are silo-01, .*silo-13, rover-01, .*weather-02$/,
  );
  refused('silo-03:tired', /"tired" is not a fault of silo-03; there are link-loss, duplicates/);
  refused('silo-03:toString', /"toString" is not a fault of/);
  refused('silo-03:skip-waypoint', /not a fault of silo-03/);
  refused('rover-01:drift', /not a fault of rover-01; .*die-half-way/);
  refused('weather-01:late-ack', /not a fault of weather-01; .*drift, dropout$/);
  refused('silo-03', /form device:fault/);
  refused('', /form device:fault/);
});

test('a single fault is checked in the same way', () => {
  checkFault(SIMULATED_PROFILES, 'silo-03', 'stall');
  assert.throws(() => checkFault(SIMULATED_PROFILES, 'rover-01', 'stall'), FaultPlanError);
});
