import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { describeEachEngine } from '@granary/app/testing/engines';
import { restoreOldDatabase, WRITTEN_AT_MS } from '@granary/app/testing/old-databases';
import { Alert } from '@granary/contract/alerts';
import { CommandRecord } from '@granary/contract/commands';
import { FieldConfiguration } from '@granary/contract/configuration/field-configuration';
import { SiloConfiguration } from '@granary/contract/configuration/silo-configuration';
import { FieldDetail, SiloDetail } from '@granary/contract/devices/devices';
import { type Checker, checker } from '@granary/contract/input/schema';
import { MissionRecord } from '@granary/contract/missions/missions';
import { OperationRecord } from '@granary/contract/operations';
import { MINUTE_MS, SECOND_MS, toIso } from '@granary/contract/time';
import { pino } from 'pino';
import { createService, type Started } from '../compose.ts';
import { readSettings } from '../settings.ts';
import { eventually } from '../testing/eventually.ts';
import { apiOf } from '../testing/service.ts';

const SILOS = '/v1/siloscale/devices';
const ROVERS = '/v1/fielddevice/devices';
const LATER_MS = 10 * MINUTE_MS;

const CHECKS = {
  silo: checker(SiloDetail),
  rover: checker(FieldDetail),
  siloConfiguration: checker(SiloConfiguration),
  fieldConfiguration: checker(FieldConfiguration),
  operation: checker(OperationRecord),
  command: checker(CommandRecord),
  mission: checker(MissionRecord),
  alert: checker(Alert),
};

const idsOf = (records: readonly Record<string, string>[], name: string): (string | undefined)[] =>
  records.map((record) => record[name]).toSorted();

const STORED_IDS = {
  3: {
    operations: [
      ...['op_completed', 'op_failed', 'op_in-progress', 'op_refused', 'op_started', 'op_stopped'],
      ...['op_stopping', 'op_unconfirmed', 'panel-7'],
    ],
    commands: [
      ...['cmd_executing', 'cmd_failed', 'cmd_halted', 'cmd_halting', 'cmd_rejected', 'cmd_sent'],
      ...['cmd_succeeded', 'cmd_timed-out'],
    ],
    missions: [
      ...['ms_ahead', 'ms_cancelled', 'ms_completed', 'ms_dispatched', 'ms_failed', 'ms_in-progress'],
      ...['ms_missed', 'ms_paused', 'ms_refused', 'ms_scheduled'],
    ],
  },
  7: {
    operations: [
      ...['op_completed', 'op_failed', 'op_forgotten', 'op_in-progress', 'op_refused', 'op_repeated'],
      ...['op_started', 'op_stopped', 'op_stopping', 'op_unconfirmed', 'op_unsent', 'panel-7'],
    ],
    commands: [
      ...['cmd_cancelled', 'cmd_executing', 'cmd_expired', 'cmd_failed', 'cmd_freed', 'cmd_halted'],
      ...['cmd_halting', 'cmd_queued', 'cmd_rejected', 'cmd_release', 'cmd_sent', 'cmd_succeeded'],
      ...['cmd_timed-out', 'cmd_unsent'],
    ],
    missions: [
      ...['ms_aborted', 'ms_broken', 'ms_cancelled', 'ms_cancelling', 'ms_dispatched', 'ms_done', 'ms_lost'],
      ...['ms_missed', 'ms_paused', 'ms_running', 'ms_scheduled'],
    ],
  },
} as const;

/** A service on a database that an older version wrote. */
function describeStored(
  schema: keyof typeof STORED_IDS,
  suite: (api: ReturnType<typeof apiOf>) => void,
): void {
  describeEachEngine(`records of schema ${schema}`, (engine) => {
    let nowMs = WRITTEN_AT_MS + 5 * SECOND_MS;
    let started: Started | undefined;
    const logged: string[] = [];
    const undos: (() => Promise<void>)[] = [];
    const current = (): Started => {
      assert(started !== undefined);
      return started;
    };
    const api = apiOf(current, () => current().adminKey.key);

    before(async () => {
      const dataDir = await mkdtemp(join(tmpdir(), 'granary-test-'));
      undos.push(() => rm(dataDir, { recursive: true, force: true }));
      const { location } = engine;
      await restoreOldDatabase(location, schema);
      const settings = readSettings({
        ...{ GRANARY_HTTP_PORT: '0', GRANARY_MQTT_PORT: '0', GRANARY_RATE_LIMIT: 'off' },
        GRANARY_LINK_THREADS: '0',
        GRANARY_DATA_DIR: location.engine === 'sqlite' ? location.folder : dataDir,
        GRANARY_DATABASE_URL: location.engine === 'postgres' ? location.url : '',
      });
      const logger = pino({ level: 'error' }, { write: (line: string) => void logged.push(line) });
      const service = createService(settings, { now: () => nowMs, logger });
      started = await service.start();
      undos.push(() => service.stop());
    });
    after(async () => {
      for (const undo of undos.reverse()) await undo();
    });

    const list = async (path: string, check: Checker<unknown>) => {
      const { status, body, text } = await api.get(path);
      assert.equal(status, 200, `${path}: ${text}`);
      for (const one of body.data) assert.deepEqual(check.faults(one), [], `${path}: ${JSON.stringify(one)}`);
      return body.data;
    };
    const devicesOf = async (root: string): Promise<string[]> =>
      (await api.get(`${root}?limit=1000`)).body.data.map(
        ({ device_id }: { device_id: string }) => device_id,
      );

    const readAll = async () => {
      const found: Record<'operations' | 'commands' | 'missions' | 'alerts', Record<string, string>[]> = {
        ...{ operations: [], commands: [], missions: [], alerts: [] },
      };
      for (const deviceId of await devicesOf(SILOS)) {
        const path = `${SILOS}/${deviceId}`;
        assert.deepEqual(CHECKS.silo.faults((await api.get(path)).body.data), []);
        const { data: configuration } = (await api.get(`${path}/config`)).body;
        assert.deepEqual(CHECKS.siloConfiguration.faults(configuration), [], JSON.stringify(configuration));
        found.operations.push(...(await list(`${path}/operations`, CHECKS.operation)));
        found.alerts.push(...(await list(`${path}/alerts?status=all`, CHECKS.alert)));
      }
      for (const deviceId of await devicesOf(ROVERS)) {
        const path = `${ROVERS}/${deviceId}`;
        assert.deepEqual(CHECKS.rover.faults((await api.get(path)).body.data), []);
        const { data: configuration } = (await api.get(`${path}/config`)).body;
        assert.deepEqual(CHECKS.fieldConfiguration.faults(configuration), [], JSON.stringify(configuration));
        found.commands.push(...(await list(`${path}/remote/commands`, CHECKS.command)));
        found.missions.push(...(await list(`${path}/missions`, CHECKS.mission)));
        found.alerts.push(...(await list(`${path}/alerts?status=all`, CHECKS.alert)));
      }
      return found;
    };

    test('are answered as the current contract declares, and none is missing', async () => {
      const { operations, commands, missions, alerts } = await readAll();
      assert.deepEqual(
        {
          operations: idsOf(operations, 'operation_id'),
          commands: idsOf(commands, 'command_id'),
          missions: idsOf(missions, 'mission_id'),
        },
        STORED_IDS[schema],
      );
      assert.ok(alerts.length >= 14, `${alerts.length} alerts`);
    });

    suite(api);

    test('are advanced by the reconciler, without a fault', async () => {
      nowMs = WRITTEN_AT_MS + LATER_MS;
      const statusOf = async (path: string) => (await api.get(path)).body.data.status;
      const isStarted = async () =>
        (await statusOf(`${SILOS}/silo-started/operations/op_started`)) === 'started';
      await eventually(isStarted, false);
      await eventually(() => statusOf(`${ROVERS}/rover-commands/remote/commands/cmd_executing`), 'timed_out');
      await readAll();
      assert.deepEqual(logged, []);
    });
  });
}

describeStored(3, (api) => {
  test('keep their stored fields', async () => {
    const completed = (await api.get(`${SILOS}/silo-completed/operations/op_completed`)).body.data;
    assert.partialDeepStrictEqual(completed, {
      ...{ type: 'discharge', status: 'completed', amount_target: 100, amount_completed: 100 },
      started_at: toIso(WRITTEN_AT_MS),
    });
    const failed = (await api.get(`${ROVERS}/rover-failed/missions/ms_failed`)).body.data;
    assert.equal(failed.status, 'failed');
    assert.deepEqual(
      failed.waypoints.map(({ status }: { status: string }) => status),
      ['reached', 'skipped'],
    );
    const history = `${SILOS}/silo-history/sensors/history?sensor=level&interval=5m&aggregate=count`;
    const { points } = (await api.get(`${history}&to=${toIso(WRITTEN_AT_MS)}`)).body.data;
    assert.equal(
      points.reduce((sum: number, { value }: { value: number }) => sum + value, 0),
      81,
    );
    const plant = await api.get('/sandbox/plants/9223372036854775807');
    assert.match(plant.text, /"id":9223372036854775807,"name":"Fern","tag":"indoor"/);
  });

  test('can still be stopped, cancelled and acknowledged', async () => {
    const stopped = await api.post(`${SILOS}/silo-in-progress/operations/op_in-progress/stop`);
    assert.equal(stopped.body.data.status, 'stopping');
    const cancelled = await api.post(`${ROVERS}/rover-ahead/missions/ms_ahead/cancel`);
    assert.equal(cancelled.body.data.status, 'cancelled');
    const [alert] = (await api.get(`${SILOS}/silo-failed/alerts`)).body.data;
    const path = `${SILOS}/silo-failed/alerts/${alert.alert_id}/acknowledge`;
    assert.equal((await api.post(path, { acknowledged_by: 'Ada' })).status, 200);
    const configured = await api.put(`${SILOS}/silo-failed/config`, { thresholds: { low_level: 30 } });
    assert.equal(configured.body.data.thresholds.low_level, 30);
    const fenced = await api.put(`${ROVERS}/rover-ahead/config`, { thresholds: { low_battery: 30 } });
    assert.equal(fenced.body.data.thresholds.low_battery, 30);
  });
});

describeStored(7, (api) => {
  test('keep their stored fields', async () => {
    const lost = (await api.get(`${SILOS}/silo-forgotten/operations/op_forgotten`)).body.data;
    assert.deepEqual([lost.status, lost.failure.reason], ['failed', 'outcome_unknown']);
    const done = (await api.get(`${ROVERS}/rover-done/missions/ms_done`)).body.data;
    assert.equal(done.status, 'completed');
    const shelved = (await api.get(`${SILOS}/silo-shelved/alerts?status=shelved`)).body.data;
    assert.equal(shelved[0].shelved_by, 'Ada');
  });

  test('refuse a command while an emergency stop is in force', async () => {
    for (const device of ['rover-halting', 'rover-halted']) {
      const refused = await api.post(`${ROVERS}/${device}/remote/command`, { command: 'scan' });
      assert.equal(refused.status, 409);
    }
    const { body } = await api.get(`${ROVERS}/rover-halted`);
    assert.equal(body.data.emergency_stop.active, true);
  });
});
