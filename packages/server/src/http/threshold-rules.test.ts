import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { SECOND_MS } from '@granary/contract/time';
import { eventually } from '@granary/testing/server/eventually';
import { describeRequests, siloNamed } from '@granary/testing/server/service';

const SENSOR = 'temp_3';

let offsetMs = 0;
const now = () => Date.now() + offsetMs;

describeRequests(
  'threshold rules over HTTP',
  (api) => {
    const path = '/v1/siloscale/devices/silo-1';
    const rule = { sensor_id: SENSOR, above: 30, severity: 'warning' as const };

    const probe = {
      sensor_id: SENSOR,
      type: 'temperature',
      unit: 'celsius',
      precision: 1,
      min: -40,
      max: 85,
    };

    const report = async (celsius: number) => {
      const sensors = { [SENSOR]: celsius };
      const answer = await api.post(`${path}/telemetry`, { ts: now(), weight: 500, sensors });
      assert.equal(answer.status, 200, answer.text);
    };

    /** By then it is usually evaluated; a delay that begins later only makes the test slower, because the value stays fresh. */
    const reportAndPause = async (celsius: number) => {
      await report(celsius);
      await sleep(100);
    };

    const shownAfter = (celsius: number) => async () => {
      await report(celsius);
      return await shown();
    };

    const configure = async (...rules: object[]) => {
      const answer = await api.put(`${path}/config`, { rules });
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual(answer.body.data.rules, rules);
    };

    const alerts = async () => (await api.get(`${path}/alerts?status=all`)).body.data;

    const shown = async (): Promise<string> =>
      (await alerts())
        .map(
          (one: { sensor_id: string; severity: string; status: string }) =>
            `${one.sensor_id} ${one.severity} ${one.status}`,
        )
        .toSorted()
        .join(', ');

    before(async () => {
      await api.post('/v1/siloscale/devices', { ...siloNamed('silo-1'), sensors: [probe] });
      await report(20);
    });

    test('raise after the on-delay, and clear after the dead band and the off-delay', async () => {
      await configure({ ...rule, dead_band: 2, on_delay_s: 20, off_delay_s: 25, message: 'Hot grain' });
      await reportAndPause(31.4);
      offsetMs += 15 * SECOND_MS;
      await report(31.4);
      assert.equal(await shown(), '');
      offsetMs += 5 * SECOND_MS;
      await eventually(shownAfter(31.4), `${SENSOR} warning active`);
      const [alert] = await alerts();
      assert.deepEqual(
        [alert.type, alert.sensor_id, alert.threshold, alert.current_value],
        ['sensor_threshold', SENSOR, 30, 31.4],
      );
      assert.equal(
        alert.message,
        `Hot grain: ${SENSOR.replaceAll('_', ' ')} is 31.4 °C, at or above the limit of 30 °C`,
      );
      await reportAndPause(28);
      offsetMs += 25 * SECOND_MS;
      await reportAndPause(27.9);
      offsetMs += 20 * SECOND_MS;
      await report(27.9);
      assert.equal(await shown(), `${SENSOR} warning active`);
      offsetMs += 5 * SECOND_MS;
      await eventually(shownAfter(27.9), `${SENSOR} warning cleared`);
    });

    test('keep their alert when the threshold changes, and clear it when they are removed', async () => {
      await configure(rule, { ...rule, above: 40, severity: 'critical' });
      await report(45);
      await eventually(shown, `${SENSOR} critical active, ${SENSOR} warning active`);
      const ids = (await alerts()).map(({ alert_id }: { alert_id: string }) => alert_id);
      await configure(rule, { ...rule, above: 42, severity: 'critical' });
      const changed = await alerts();
      assert.deepEqual(
        changed.map(({ alert_id }: { alert_id: string }) => alert_id),
        ids,
      );
      assert.deepEqual(changed.map(({ threshold }: { threshold: number }) => threshold).toSorted(), [30, 42]);
      await configure(rule);
      assert.equal(await shown(), `${SENSOR} critical cleared, ${SENSOR} warning active`);
      await configure();
      assert.equal(await shown(), `${SENSOR} critical cleared, ${SENSOR} warning cleared`);
    });

    test('that are bad are refused with the place of each fault, and nothing changes', async () => {
      await configure(rule);
      const before = await api.get(`${path}/config`);
      const { above: _, ...sideless } = rule;
      const rules = [
        rule,
        sideless,
        { ...rule, below: 3 },
        { ...rule, above: 31 },
        { ...rule, sensor_id: 'unknown' },
        { ...rule, severity: 'info', above: 1_000 },
        { ...rule, severity: 'critical', dead_band: 500 },
      ];
      const refused = await api.put(`${path}/config`, { rules });
      assert.equal(refused.status, 400);
      assert.equal(refused.body.error.code, 'invalid_input');
      assert.deepEqual(
        refused.body.error.details.map((one: { path: string }) => one.path),
        ['/rules/1', '/rules/2', '/rules/3', '/rules/4/sensor_id', '/rules/5/above', '/rules/6/dead_band'],
      );
      const tooMany = await api.put(`${path}/config`, { rules: Array.from({ length: 65 }, () => rule) });
      assert.deepEqual([tooMany.status, tooMany.body.error.details[0].path], [400, '/rules']);
      const after = await api.get(`${path}/config`);
      assert.deepEqual(after.body, before.body);
      assert.equal(after.headers.get('etag'), before.headers.get('etag'));
    });

    test('see sensors come and go: a removed one clears its alert, and a declared one is judged again', async () => {
      await configure(rule);
      await report(45);
      const isActive = async () => (await shown()).endsWith(`${SENSOR} warning active`);
      await eventually(isActive, true);
      const removed = await api.patch(path, { sensors: [] });
      assert.equal(removed.status, 200, removed.text);
      assert.equal(await isActive(), false);
      // Other parts of the configuration can be changed although the sensor of the rule is gone.
      const changed = await api.put(`${path}/config`, { thresholds: { low_level: 21 } });
      assert.deepEqual([changed.status, changed.body.data.rules], [200, [rule]]);
      await api.patch(path, { sensors: [probe] });
      assert.equal(await isActive(), true);
    });

    test('can be 64, each with its own alert', async () => {
      const ids = Array.from({ length: 32 }, (_, index) => `point_${index}`);
      const sensors = ids.map((sensor_id) => ({ ...probe, sensor_id }));
      const many = '/v1/siloscale/devices/silo-64';
      await api.post('/v1/siloscale/devices', { ...siloNamed('silo-64'), sensors });
      const rules = ids.flatMap((sensor_id) => [
        { sensor_id, above: 30, severity: 'warning' },
        { sensor_id, above: 40, severity: 'critical' },
      ]);
      assert.equal((await api.put(`${many}/config`, { rules })).status, 200);
      const values = Object.fromEntries(ids.map((sensor_id) => [sensor_id, 41]));
      await api.post(`${many}/telemetry`, { ts: now(), weight: 500, sensors: values });
      const count = async () => (await api.get(`${many}/alerts?limit=100`)).body.data.length;
      await eventually(count, 64);
    });
  },
  {},
  { now },
);
