import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import type { Announcement } from '@granary/store/announcements';
import { PostgresAnnouncements } from '@granary/store/postgres/announcements';
import { describePostgres, type TestEngine } from '@granary/testing/app/engines';
import { batchOf, NOW_MS, reading, registerDevice } from '@granary/testing/app/fixtures';

interface Received {
  readonly deviceNos: number[];
  readonly deviceIds: string[];
  readonly accessIds: string[];
  events: number;
  messages: number;
  resumed: number;
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await wait(5);
}

async function openNode(t: TestContext, { location }: TestEngine) {
  if (location.engine !== 'postgres') throw new Error('not a PostgreSQL database');
  const announcements = new PostgresAnnouncements(location.url);
  const received: Received = {
    deviceNos: [],
    deviceIds: [],
    accessIds: [],
    events: 0,
    messages: 0,
    resumed: 0,
  };
  announcements.start({
    received: ({ deviceNos, deviceIds, hasEvents, accessIds }: Announcement) => {
      received.deviceNos.push(...deviceNos);
      received.deviceIds.push(...deviceIds);
      received.accessIds.push(...accessIds);
      if (hasEvents) received.events++;
      received.messages++;
    },
    resumed: () => received.resumed++,
  });
  t.after(() => announcements.close());
  await until(() => announcements.isReceiving);
  return { announcements, received };
}

describePostgres('announcements between nodes', (engine) => {
  it('reach every other node, whatever their number of devices', async (t) => {
    const nodes = [await openNode(t, engine), await openNode(t, engine), await openNode(t, engine)] as const;
    const [sender, ...others] = nodes;
    const deviceNos = Array.from({ length: 5_000 }, (_, i) => 2_000_000_000 + i);
    const deviceIds = Array.from({ length: 300 }, (_, i) => `${i}`.padStart(64, 'd'));
    const accessIds = Array.from({ length: 101 }, (_, i) => `${i}`.padStart(64, 'f'));
    sender.announcements.post({ deviceNos, deviceIds, hasEvents: true, accessIds });
    for (const { received } of others) {
      await until(() => received.deviceNos.length === 5_000 && received.deviceIds.length === 300);
      assert.deepEqual(received.deviceNos, deviceNos);
      assert.deepEqual(received.deviceIds, deviceIds);
      assert.deepEqual(received.accessIds, accessIds);
      assert(received.events > 0);
    }
    assert.deepEqual(sender.received.deviceNos, []);
  });

  it('of new readings are sent together by a busy node, and at once with those of a changed device', async (t) => {
    const [sender, reader] = [await openNode(t, engine), await openNode(t, engine)];
    for (let deviceNo = 1; deviceNo <= 100; deviceNo++) {
      sender.announcements.post({ deviceNos: [deviceNo], deviceIds: [], hasEvents: false, accessIds: [] });
      await wait(1);
    }
    sender.announcements.post({ deviceNos: [], deviceIds: ['silo-1'], hasEvents: false, accessIds: [] });
    await until(() => reader.received.deviceIds.length === 1 && reader.received.deviceNos.length === 100);
    assert(reader.received.messages < 50, `${reader.received.messages} messages`);
  });

  it('arrive again after the loss of a connection, which is reported', async (t) => {
    const [sender, reader] = [await openNode(t, engine), await openNode(t, engine)];
    await engine.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()`,
    );
    await until(() => sender.received.resumed === 2 && reader.received.resumed === 2);
    sender.announcements.post({ deviceNos: [5], deviceIds: [], hasEvents: false, accessIds: [] });
    await until(() => reader.received.deviceNos.includes(5));
  });

  it('of other programs are ignored', async (t) => {
    const node = await openNode(t, engine);
    for (const text of ['', 'nonsense', '{}', '[1]', 'null']) {
      await engine.query(`SELECT pg_notify('granary_announcements', '${text}')`);
    }
    await engine.query(`SELECT pg_notify('granary_announcements', '["other node",[9],[],false,[]]')`);
    await until(() => node.received.deviceNos.length > 0);
    assert.deepEqual(node.received.deviceNos, [9]);
  });

  it('make a node read the values that another one has stored', async () => {
    const [writer, reader] = [await engine.open(), await engine.open()];
    const deviceNo = await registerDevice(writer, { deviceId: 'silo-1' });
    for (let weight = 1; weight <= 20; weight++) {
      await writer.telemetry.append(batchOf({ readings: [reading(deviceNo, NOW_MS + weight, { weight })] }));
      let shown: number | undefined;
      do shown = (await reader.telemetry.current('silo-1'))?.latest.weight?.tsMs;
      while (shown !== NOW_MS + weight);
    }
  });
});
