import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { HOUR_MS, SECOND_MS } from '@granary/contract/time';
import { IS_FULL_SIZE, SEED } from '@granary/testing/contract/size';
import { eventually } from '@granary/testing/server/eventually';
import { MailServer, smtpRefusal } from '@granary/testing/server/mail-server';
import { SeededRandom } from '@granary/testing/server/seeded-random';
import { type Api, apiOf, siloNamed } from '@granary/testing/server/service';
import { type ServiceProcess, startServiceProcess } from '@granary/testing/server/service-process';

const TWO_MINUTES_MS = 120 * SECOND_MS;
/** This is the time of several rounds of the worker. */
const A_WHILE_MS = 3 * SECOND_MS;
const SILOS = IS_FULL_SIZE ? 200 : 12;
const KILLS = IS_FULL_SIZE ? 20 : 2;

describe('notifications and a service that is killed', () => {
  const undos: (() => Promise<unknown>)[] = [];
  after(async () => {
    for (const undo of undos.reverse()) await undo();
  });

  async function folder(): Promise<string> {
    const dataDir = await mkdtemp(join(tmpdir(), 'granary-notify-'));
    undos.push(() => rm(dataDir, { recursive: true, force: true }));
    return dataDir;
  }

  async function startService(dataDir: string, mailUrl: string, aheadMs = 0): Promise<[ServiceProcess, Api]> {
    const service = await startServiceProcess({
      GRANARY_DATA_DIR: dataDir,
      GRANARY_SMTP_URL: mailUrl,
      GRANARY_MAIL_FROM: 'granary@farm.example',
      GRANARY_ADMIN_KEY: 'an-admin-key-for-the-notification-tests',
      GRANARY_LOG_LEVEL: 'silent',
      GRANARY_TEST_CLOCK_AHEAD_MS: String(aheadMs),
    });
    undos.push(() => service.kill());
    const key = 'an-admin-key-for-the-notification-tests';
    return [
      service,
      apiOf(
        () => service,
        () => key,
      ),
    ];
  }

  async function raiseLowLevel(api: Api): Promise<void> {
    const path = '/v1/siloscale/devices';
    assert.equal((await api.post(path, siloNamed('silo-1'))).status, 200);
    for (const weight of [500, 150]) {
      const reading = { ts: Date.now(), weight };
      assert.equal((await api.post(`${path}/silo-1/telemetry`, reading)).status, 200);
    }
  }

  const RULE = {
    name: 'Shift',
    match: { types: ['low_level'] },
    targets: [{ email: 'shift@example.com' }],
    escalation: [{ after_minutes: 1, targets: [{ email: 'boss@example.com' }] }],
  };

  it('an escalation that is due while the service is down is sent once when it is up again', async () => {
    const mail = await new MailServer().start();
    undos.push(() => mail.stop());
    const recipients = () => mail.received.flatMap(({ to }) => to).join();
    const dataDir = await folder();
    const [first, api] = await startService(dataDir, mail.url);
    assert.equal((await api.post('/v1/notification-rules', RULE)).status, 200);
    await raiseLowLevel(api);
    await eventually(async () => recipients(), 'shift@example.com');
    await eventually(async () => (await api.get('/v1/notifications?status=sent')).body.data.length, 1);
    await first.kill();

    const [second] = await startService(dataDir, mail.url, TWO_MINUTES_MS);
    await eventually(async () => recipients(), 'shift@example.com,boss@example.com');
    await sleep(SECOND_MS);
    await second.kill();

    await startService(dataDir, mail.url, 2 * TWO_MINUTES_MS);
    await sleep(A_WHILE_MS);
    assert.equal(recipients(), 'shift@example.com,boss@example.com');
  });

  it('what a mail server that was away did not get is sent after a restart', async () => {
    const away = await new MailServer().start();
    await away.stop();
    const dataDir = await folder();
    const [first, api] = await startService(dataDir, away.url);
    await api.post('/v1/notification-rules', { ...RULE, escalation: [] });
    await raiseLowLevel(api);
    const lastError = async (): Promise<boolean> =>
      (await api.get('/v1/notifications')).body.data[0]?.last_error?.includes('ECONNREFUSED') ?? false;
    await eventually(lastError, true);
    await first.kill();

    const mail = await new MailServer({}, away.port).start();
    undos.push(() => mail.stop());
    await startService(dataDir, mail.url, TWO_MINUTES_MS);
    await eventually(async () => mail.received.length, 1);
    assert.deepEqual(mail.received[0]?.to, ['shift@example.com']);
  });

  it('of alerts that are raised while the service is killed none is lost, and none becomes two messages', async (t) => {
    t.diagnostic(`seed ${SEED}`);
    const random = new SeededRandom(SEED);
    let isRefusing = true;
    const mail = await new MailServer({
      onRcptTo: (_address, _session, done) =>
        isRefusing && random.chance(0.3) ? done(smtpRefusal(450, 'come again later')) : done(),
    }).start();
    undos.push(() => mail.stop());
    const dataDir = await folder();
    let aheadMs = 0;
    let [service, api] = await startService(dataDir, mail.url);
    await api.post('/v1/notification-rules', { ...RULE, escalation: [], summary: { at_once_max: 100 } });

    /** Repeats a request until the service answers; a registration without an answer may have been done. */
    const ask = async (path: string, body: () => object): Promise<void> => {
      for (;;) {
        const answer = await api.post(path, body()).catch(() => undefined);
        if (answer?.status === 200 || answer?.status === 409) return;
        await sleep(50);
      }
    };
    const restart = async (laterMs: number): Promise<void> => {
      await service.kill();
      aheadMs += laterMs;
      [service, api] = await startService(dataDir, mail.url, aheadMs);
    };
    const killing = (async () => {
      for (let kills = 0; kills < KILLS; kills++) {
        await sleep(random.between(100, SECOND_MS));
        await restart(TWO_MINUTES_MS + SECOND_MS);
      }
    })();
    for (let silo = 0; silo < SILOS; silo++) {
      const devices = '/v1/siloscale/devices';
      await ask(devices, () => siloNamed(`silo-${silo}`));
      for (const weight of [500, 150]) {
        await ask(`${devices}/silo-${silo}/telemetry`, () => ({ ts: Date.now() + aheadMs, weight }));
        await sleep(SECOND_MS / 10);
      }
    }
    await killing;
    isRefusing = false;
    const alerts = async () => (await api.get('/v1/alerts?type=low_level&status=all')).body.data;
    await eventually(async () => (await alerts()).length, SILOS);
    await restart(2 * HOUR_MS);
    await eventually(async () => (await api.get('/v1/notifications?status=sent')).body.data.length, SILOS);
    const ids = (await alerts()).map(({ alert_id: id }: { alert_id: string }) => id);
    const told = mail.received.flatMap(({ text }) => /granary ack (al_\w+)/.exec(text)?.[1] ?? []);
    assert.deepEqual(new Set(told), new Set(ids));
    const messageIds = new Set(mail.received.map(({ headers }) => /^Message-ID: (.*)$/m.exec(headers)?.[1]));
    assert.equal(messageIds.size, SILOS);
  });
});
