import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, it } from 'node:test';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@granary/contract/time';
import { PURGE_DELAY_MS } from '@granary/core/fleet/removal';
import { ruleContent } from '@granary/core/notifications/rule';
import { testAttempt } from '@granary/testing/app/attempts';
import { describeEachEngine } from '@granary/testing/app/engines';
import {
  batchOf,
  isRefusal,
  locate,
  missionAt,
  NOW_MS,
  newDevice,
  newId,
  reading,
  readyFieldDevice,
  readySilo,
  weigh,
} from '@granary/testing/app/fixtures';
import type { App } from '../app.ts';

/** The row of a purged device stays, because its events refer to it. */
const KEPT = ['devices', 'events', 'unnumbered_events'];
const PURGE = readFileSync(new URL('./purge-rows.ts', import.meta.url), 'utf8');
const LATER_MS = NOW_MS + HOUR_MS;

describeEachEngine('the purge of a device', (engine) => {
  let app: App;
  let other: App;
  /** The tables with rows of devices. */
  let tables: readonly string[] = [];
  before(async () => {
    app = await engine.open();
    other = await engine.open();
    const rows = await engine.query(
      engine.name === 'sqlite'
        ? `SELECT name FROM sqlite_schema WHERE type = 'table' AND EXISTS (
             SELECT 1 FROM pragma_table_info(sqlite_schema.name) AS columns WHERE columns.name = 'device_no')`
        : `SELECT relname FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
           WHERE attname = 'device_no' AND relkind IN ('r', 'p') AND NOT relispartition`,
    );
    tables = rows.map(([name]) => String(name)).filter((name) => !KEPT.includes(name));
  });

  const countOf = async (table: string, condition = '1 = 1'): Promise<number> =>
    Number((await engine.query(`SELECT COUNT(*) FROM ${table} WHERE ${condition}`))[0]?.[0]);
  const rowsOf = async (deviceNo: number): Promise<number> => {
    const counts = await Promise.all(tables.map((table) => countOf(table, `device_no = ${deviceNo}`)));
    return counts.reduce((sum, count) => sum + count, 0);
  };
  const idOf = async (deviceNo: number): Promise<string> =>
    String((await engine.query(`SELECT device_id FROM devices WHERE device_no = ${deviceNo}`))[0]?.[0]);
  const step = (at: App, nowMs = LATER_MS, rowsMax = 50) => at.devices.purgeStep({ nowMs, rowsMax });
  const purgeAll = async (): Promise<void> => {
    while (await step(app));
  };
  const eventsOf = async (deviceId: string) =>
    (await app.events.after({ sequence: 0, limit: 1_000_000 })).filter(
      (event) => event.deviceId === deviceId,
    );

  /** Readings over two days, a rejection, an alert and an ended operation. */
  async function usedSilo(): Promise<number> {
    const deviceNo = await readySilo(app);
    const readings = Array.from({ length: 190 }, (_, n) =>
      reading(deviceNo, NOW_MS - 2 * DAY_MS + n * 15 * MINUTE_MS, { weight: 5_000_000 + n }),
    );
    const rejections = [
      { deviceNo, receivedAtMs: NOW_MS, topic: 'telemetry', reason: 'wrong', payload: '?' },
    ];
    await app.telemetry.append(batchOf({ readings, rejections }));
    const operationId = newId('op');
    const request = { amount: 1 };
    const start = { deviceNo, operationId, type: 'feed', request, isReachable: true } as const;
    const { proposals } = app.audited(testAttempt({ attemptId: newId('au') }));
    const proposed = { proposalId: newId('pr'), deviceNo, type: 'feed', request, reason: null } as const;
    await proposals.create({ ...proposed, isReachable: true, shiftMs: 8 * HOUR_MS, nowMs: NOW_MS });
    await app.operations.start({ ...start, nowMs: NOW_MS });
    await app.operations.notSent({ deviceNo, operationId, why: 'not_connected', nowMs: NOW_MS });
    const note = {
      noteId: newId('nt'),
      deviceNo,
      facility: null,
      atMs: NOW_MS,
      text: 'x',
      createdAtMs: NOW_MS,
    };
    await app.shifts.addNote(note);
    await weigh(app, deviceNo, 100, NOW_MS + 1);
    await app.alerts.evaluate({ deviceNos: [deviceNo], nowMs: NOW_MS + 1 });
    return deviceNo;
  }

  async function usedRover(): Promise<number> {
    const deviceNo = await readyFieldDevice(app);
    for (let n = 0; n < 60; n++) await locate(app, deviceNo, {}, NOW_MS + n * 20_000);
    const missionId = newId('ms');
    const mission = missionAt(LATER_MS);
    await app.missions.create({ deviceNo, missionId, mission, isReachable: true, nowMs: NOW_MS });
    const cancel = { deviceNo, missionId, control: 'cancel', isReachable: true } as const;
    await app.missions.control({ ...cancel, nowMs: NOW_MS });
    const commandId = newId('cmd');
    const issue = { deviceNo, commandId, request: { command: 'hold' }, isReachable: true } as const;
    await app.commands.issue({ ...issue, nowMs: NOW_MS });
    await app.commands.acknowledged({
      deviceNo,
      ack: { command_id: commandId, accepted: true },
      nowMs: NOW_MS,
    });
    const progress = { command_id: commandId, state: 'succeeded', ts: NOW_MS } as const;
    await app.commands.progressed({ deviceNo, progress, nowMs: NOW_MS });
    return deviceNo;
  }

  it('reaches every table with rows of devices', () => {
    assert.ok(tables.length > 20);
    const forgotten = tables.filter((table) => !new RegExp(`\\b${table}\\b`).test(PURGE));
    assert.deepEqual(forgotten, []);
  });

  it('removes every row of the devices and no row of others, counts them, and frees the ids', async () => {
    const kept = [await usedSilo(), await usedRover()];
    const keptRows = await Promise.all(kept.map(rowsOf));
    for (const deviceNo of [await usedSilo(), await usedRover()]) {
      const deviceId = await idOf(deviceNo);
      const rows = await rowsOf(deviceNo);
      assert.ok(rows > 100, `${rows}`);
      const eventsBefore = await eventsOf(deviceId);
      assert.equal((await app.telemetry.current(deviceId))?.deviceNo, deviceNo);
      await app.devices.remove(deviceNo, NOW_MS + 2);
      const { purge } = await app.devices.remove(deviceNo, NOW_MS + 3, true);
      assert.deepEqual(purge, { startedAtMs: NOW_MS + 3, rowsRemoved: 0 });
      await assert.rejects(app.devices.register(newDevice({ deviceId })), isRefusal('device_exists'));
      const rowsWithAlertEnds = await rowsOf(deviceNo);
      await purgeAll();
      assert.equal(await rowsOf(deviceNo), 0);
      const events = await eventsOf(deviceId);
      const purged = events.at(-1);
      assert.deepEqual([purged?.type, purged?.facility], ['device.purged', 'North']);
      assert.deepEqual(purged?.data['purge'], {
        status: 'done',
        rows_removed: rowsWithAlertEnds,
        started_at: new Date(NOW_MS + 3).toISOString(),
      });
      assert.deepEqual(
        events.slice(0, eventsBefore.length).map(({ sequence, data }) => ({ sequence, data })),
        eventsBefore.map(({ sequence, data }) => ({ sequence, data })),
      );
      assert.equal(await app.devices.find(deviceId), undefined);
      assert.equal(await app.telemetry.current(deviceId), undefined);
      const again = await app.devices.register(newDevice({ deviceId, facility: 'South' }));
      assert.notEqual(again.deviceNo, deviceNo);
      assert.equal(again.purge, undefined);
      assert.deepEqual(
        (await eventsOf(deviceId)).slice(-2).map(({ facility }) => facility),
        ['North', 'South'],
      );
    }
    assert.deepEqual(await Promise.all(kept.map(rowsOf)), keptRows);
  });

  it('waits for messages that were under way, and shows how far it is', async () => {
    const deviceNo = await usedSilo();
    const deviceId = await idOf(deviceNo);
    await app.devices.remove(deviceNo, NOW_MS, true);
    assert.equal(await app.devices.isPurgeDue(NOW_MS + PURGE_DELAY_MS - 1), false);
    assert.equal(await step(app, NOW_MS + PURGE_DELAY_MS - 1), false);
    await weigh(app, deviceNo, 90, NOW_MS + 5);
    assert.equal(await app.devices.isPurgeDue(NOW_MS + PURGE_DELAY_MS), true);
    let removed = 0;
    while ((await step(app)) && removed === 0) {
      removed = (await app.devices.find(deviceId))?.purge?.rowsRemoved ?? 0;
    }
    assert.ok(removed > 0);
    const again = await app.devices.remove(deviceNo, LATER_MS, true);
    assert.equal(again.purge?.startedAtMs, NOW_MS);
    await purgeAll();
    assert.equal(await rowsOf(deviceNo), 0);
    await assert.rejects(app.devices.remove(deviceNo, LATER_MS, true), isRefusal('device_not_found'));
  });

  it('is done once by two nodes at a time, and continued by one after the other', async () => {
    const deviceNos = [await usedSilo(), await usedSilo()];
    const ids = await Promise.all(deviceNos.map(idOf));
    const rows = await Promise.all(
      deviceNos.map(async (deviceNo) => {
        await app.devices.remove(deviceNo, NOW_MS + 2, true);
        return await rowsOf(deviceNo);
      }),
    );
    const isLeft = () => app.devices.isPurgeDue(LATER_MS);
    while (await isLeft()) await Promise.all([step(app), step(other), step(other)]);
    for (const [n, deviceId] of ids.entries()) {
      const purged = (await eventsOf(deviceId)).filter(({ type }) => type === 'device.purged');
      assert.equal(purged.length, 1);
      assert.partialDeepStrictEqual(purged[0]?.data['purge'], { rows_removed: rows[n] });
    }
  });

  it('is refused like a removal, and a refused one leaves the device as it was', async () => {
    const deviceNo = await readySilo(app);
    const operationId = newId('op');
    const start = { deviceNo, operationId, type: 'feed', request: { amount: 1 }, isReachable: true } as const;
    await app.operations.start({ ...start, nowMs: NOW_MS });
    await assert.rejects(app.devices.remove(deviceNo, NOW_MS, true), isRefusal('device_busy'));
    const device = await app.devices.find(await idOf(deviceNo));
    assert.deepEqual([device?.removedAtMs, device?.purge], [null, undefined]);
    assert.equal(await app.devices.isPurgeDue(LATER_MS), false);
  });

  it('removes the notifications about the device, and keeps those that tell of others, too', async () => {
    const advance = async (nowMs: number): Promise<void> => {
      while ((await app.notifications.advance({ nowMs, consoleUrl: null, timeZone: 'UTC' })).hasMore);
    };
    await advance(NOW_MS);
    const ruleId = newId('nr');
    const content = ruleContent({
      name: 'all',
      match: { severity_min: 'info' },
      targets: [{ email: 'ada@example.com' }],
      summary: { at_once_max: 1 },
    });
    await app.notifications.createRule({ ruleId, content, canSendMail: true, nowMs: NOW_MS });
    const first = await usedSilo();
    await advance(NOW_MS + 1);
    const second = await usedSilo();
    await usedSilo();
    await advance(NOW_MS + 2);
    await advance(NOW_MS + 2 * MINUTE_MS);
    const page = { status: null, ruleId, beforeId: null, limit: 100 };
    const toldDevices = async () =>
      (await app.notifications.list(page)).map(({ content: { alerts } }) =>
        alerts.map((alert) => alert.device_id),
      );
    let expected = await toldDevices();
    const [firstId, secondId] = [await idOf(first), await idOf(second)];
    assert.ok(expected.some((ids) => ids.every((id) => id === firstId)));
    assert.ok(expected.some((ids) => ids.includes(secondId) && ids.some((id) => id !== secondId)));
    for (const [deviceNo, deviceId] of [[first, firstId] as const, [second, secondId] as const]) {
      const alert = `alert_id IN (SELECT alert_id FROM alerts WHERE device_no = ${deviceNo})`;
      const notices = await countOf('notification_notices', alert);
      const all = await countOf('notification_notices');
      assert.ok(notices > 0);
      await app.devices.remove(deviceNo, NOW_MS + 2, true);
      await purgeAll();
      expected = expected.filter((ids) => ids.some((id) => id !== deviceId));
      assert.deepEqual(await toldDevices(), expected);
      assert.equal(await countOf('notification_notices'), all - notices);
    }
    assert.ok(expected.length > 0);
    const purgedBefore = await usedSilo();
    await app.devices.remove(purgedBefore, NOW_MS + 2, true);
    await purgeAll();
    await advance(LATER_MS);
    assert.deepEqual(await toldDevices(), expected);
  });
});
