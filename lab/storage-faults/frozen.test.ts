import assert from 'node:assert/strict';
import { after, before, describe, type TestContext, test } from 'node:test';
import { type ScriptedRover, startRover } from '@granary/testing/server/devices/scripted-rover';
import { startSilo } from '@granary/testing/server/devices/scripted-silo';
import { eventually } from '@granary/testing/server/eventually';
import { cookieOf, OWN_PAGE, PASSWORD, signedIn, signIn } from '@granary/testing/server/people';
import { siloNamed } from '@granary/testing/server/service';
import { Client } from 'pg';
import { ANSWER_MS_MAX, feedingSilo, inTime, type Rig, type RunningSilo, startRig, timed } from './rig.ts';

const ATTEMPTS = 4;
/** The limit is ten seconds, and extra time for a busy machine. */
const STOPPED_MS_MAX = 15_000;
const SILOS = '/v1/siloscale/devices';

function assertUnwaited(t: TestContext, what: string, times: readonly number[]): void {
  t.diagnostic(`${what} after ${times.map(Math.round).join(', ')} ms`);
  assert.ok(
    times.every((ms) => ms < ANSWER_MS_MAX),
    `${what} after ${times} ms`,
  );
}

async function change(url: string, text: string): Promise<void> {
  const client = new Client(url);
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}

describe('while PostgreSQL is frozen', () => {
  let rig: Rig;
  before(async () => {
    rig = await startRig();
  });
  after(() => rig.stop());

  /** Freezes the database during `work`, and always lets it continue afterwards. */
  async function whileFrozen(work: () => Promise<void>): Promise<void> {
    await rig.postgres.freeze();
    try {
      await work();
    } finally {
      await rig.postgres.thaw();
    }
  }

  const issueKey = async (wanted: object = {}) =>
    (await rig.api.post('/v1/keys', { name: 'k', scopes: ['operate', 'read'], ...wanted })).body.data;

  test('a stop and its answer wait for nothing, and it is stored afterwards', async (t) => {
    const { api } = rig;
    const silos: RunningSilo[] = [];
    for (let n = 0; n < ATTEMPTS; n++) silos.push(await feedingSilo(api, `stop-${n}`));
    await whileFrozen(async () => {
      const atDevice: number[] = [];
      const answers: number[] = [];
      for (const { silo, path, operationId } of silos) {
        const answering = timed(api.post(`${path}/stop`, undefined, { 'idempotency-key': operationId }));
        atDevice.push((await timed(silo.take('stop'))).ms);
        const { result, ms } = await answering;
        const { status, operation_id, status_detail } = result.body.data;
        assert.match(status_detail, /sent to the device.*could not be stored yet/);
        assert.deepEqual([result.status, status, operation_id], [200, 'stopping', operationId]);
        answers.push(ms);
      }
      assertUnwaited(t, 'at the device', atDevice);
      assertUnwaited(t, 'answered', answers);
    });
    for (const { silo, path, operationId } of silos) {
      await eventually(async () => (await api.get(path)).body.data?.status, 'stopping');
      await silo.progress({ operation_id: operationId, state: 'stopped', amount_kg: 10 });
      await eventually(async () => (await api.get(path)).body.data?.status, 'stopped');
      await silo.leave();
    }
  });

  test('an emergency stop and its answer wait for nothing, and it is stored afterwards', async (t) => {
    const { api } = rig;
    const rovers: ScriptedRover[] = [];
    for (let n = 0; n < ATTEMPTS; n++) rovers.push(await startRover(api, `emergency-${n}`));
    const commands: { path: string; id: string }[] = [];
    await whileFrozen(async () => {
      const atDevice: number[] = [];
      const answers: number[] = [];
      for (const rover of rovers) {
        const answering = timed(api.post(`${rover.path}/remote/command`, { command: 'emergency_stop' }));
        const received = await timed(rover.take('execute'));
        const { result, ms } = await answering;
        assert.equal(result.status, 200, result.text);
        const { command_id: id, status_detail } = result.body.data;
        assert.match(status_detail, /sent to the device.*could not be stored yet/);
        assert.equal(received.result.command_id, id);
        commands.push({ path: `${rover.path}/remote/commands/${id}`, id });
        atDevice.push(received.ms);
        answers.push(ms);
      }
      assertUnwaited(t, 'at the device', atDevice);
      assertUnwaited(t, 'answered', answers);
    });
    for (const { path, id } of commands) {
      await eventually(async () => (await api.get(path)).body.data?.command_id, id);
    }
    for (const rover of rovers) await rover.leave();
  });

  test('a key that was never used stops; one that was revoked before, or is of another facility, stops nothing', async () => {
    const { api } = rig;
    const { silo, path } = await feedingSilo(api, 'guarded');
    const revoked = await issueKey();
    assert.equal((await api.as(revoked.key).get(path)).status, 200);
    assert.equal((await api.delete(`/v1/keys/${revoked.key_id}`)).status, 200);
    const unused = await issueKey();
    const elsewhere = await issueKey({ facilities: ['south'] });
    assert.equal((await api.as(elsewhere.key).get(path)).status, 404);
    await whileFrozen(async () => {
      for (const [key, status] of [
        [revoked.key, 503],
        [elsewhere.key, 404],
      ] as const) {
        const { result, ms } = await timed(api.as(key).post(`${path}/stop`));
        assert.deepEqual([result.status, ms < ANSWER_MS_MAX], [status, true], `${result.text} ${ms}`);
      }
    });
    assert.equal(silo.commands.filter(({ command }) => command === 'stop').length, 0);
    await whileFrozen(async () => {
      const { result } = await timed(api.as(unused.key).post(`${path}/stop`));
      assert.deepEqual([result.status, result.body.data?.status], [200, 'stopping'], result.text);
      await silo.take('stop');
    });
    await silo.leave();
  });

  test('a session stops like its key, also before it was used; one that has ended stops nothing', async () => {
    const { api } = rig;
    const { silo, path } = await feedingSilo(api, 'by-cookie');
    const { key } = await issueKey();
    const signIn = async (): Promise<Readonly<Record<string, string>>> => {
      const { headers } = await api.post('/v1/session', { api_key: key });
      const cookie = headers.get('set-cookie')?.split(';', 1)[0] ?? '';
      return { cookie, 'sec-fetch-site': 'same-origin' };
    };
    const [unused, left] = [await signIn(), await signIn()];
    assert.equal((await api.raw('GET', path, { headers: left })).status, 200);
    assert.equal((await api.raw('DELETE', '/v1/session', { headers: left })).status, 200);
    const stop = (headers: Readonly<Record<string, string>>) =>
      timed(api.raw('POST', `${path}/stop`, { headers }));
    await whileFrozen(async () => {
      const ended = await stop(left);
      assert.deepEqual([ended.result.status, ended.ms < ANSWER_MS_MAX], [503, true], ended.result.text);
      assert.equal((await stop({ ...unused, 'sec-fetch-site': 'same-site' })).result.status, 403);
      assert.equal(silo.commands.filter(({ command }) => command === 'stop').length, 0);
      const { result } = await stop(unused);
      assert.deepEqual([result.status, result.body.data?.status], [200, 'stopping'], result.text);
      await silo.take('stop');
    });
    await silo.leave();
  });

  test('a locked terminal stops, and so does one whose person was disabled', async () => {
    const { api } = rig;
    const [first, second] = [await feedingSilo(api, 'locked-1'), await feedingSilo(api, 'locked-2')];
    const ada = await signedIn(api, [{ role: 'operator' }]);
    const setPin = () => ada.ask('PUT', '/v1/me/pin', { current_password: PASSWORD, pin: '4071' });
    await eventually(async () => (await setPin()).status, 200);
    const wanted = { name: 'Mill', kind: 'terminal', facilities: ['north'] };
    const enrol = async (): Promise<Readonly<Record<string, string>>> => {
      const { code } = (await api.post('/v1/terminals', wanted)).body.data;
      return { ...OWN_PAGE, cookie: cookieOf(await signIn(api, { code })) };
    };
    const [locked, left] = [await enrol(), await enrol()];
    assert.equal((await api.raw('GET', first.path, { headers: locked })).status, 200);
    const body = JSON.stringify({ login: ada.person.login, pin: '4071' });
    const json = { ...left, 'content-type': 'application/json' };
    const letIn = () => api.raw('PUT', '/v1/session/person', { headers: json, body });
    await eventually(async () => (await letIn()).status, 200);
    assert.equal((await api.post(`/v1/people/${ada.person.person_id}/disable`)).status, 200);
    await whileFrozen(async () => {
      for (const [{ silo, path }, headers] of [
        [first, locked],
        [second, left],
      ] as const) {
        const { result } = await timed(api.raw('POST', `${path}/stop`, { headers }));
        assert.deepEqual([result.status, result.body.data?.status], [200, 'stopping'], result.text);
        await silo.take('stop');
      }
    });
    for (const { silo } of [first, second]) await silo.leave();
  });

  test('a stop for an unknown device is refused in time and says what to do', async () => {
    await whileFrozen(async () => {
      const { result, ms } = await timed(rig.api.post(`${SILOS}/nobody/operations/op_1/stop`));
      assert.equal(result.status, 503);
      assert.match(result.body.error.message, /nothing was sent.*stop at the device/);
      assert.ok(ms < ANSWER_MS_MAX, `${ms} ms`);
    });
  });

  test('every other answer arrives within five seconds and shows no detail of the database', async () => {
    const { api, postgres } = rig;
    await api.post(SILOS, siloNamed('asked'));
    const { port } = new URL(postgres.url);
    await whileFrozen(async () => {
      const answers = await Promise.all([
        ...[SILOS, `${SILOS}/asked`, `${SILOS}/asked/sensors`, '/v1/keys'].map((path) =>
          inTime(api.get(path)),
        ),
        inTime(api.post(SILOS, siloNamed('new'))),
        inTime(api.put(`${SILOS}/asked/config`, { thresholds: { low_level: 21 } })),
        inTime(api.post(`${SILOS}/asked/operations/feed`, { amount: 1 })),
      ]);
      for (const { status, text } of answers) {
        assert.equal(status, 503, text);
        assert.doesNotMatch(
          text,
          new RegExp(`127\\.0\\.0\\.1|${port}|postgres|SELECT|INSERT|/packages/`, 'i'),
        );
      }
      const ready = await inTime(api.get('/readyz'));
      assert.deepEqual([ready.status, ready.body.checks.storage], [503, 'does not answer']);
    });
    await eventually(async () => (await api.get('/readyz')).status, 200);
  });

  test('a start whose commit is not confirmed is not sent, is answered as unknown, and ends by itself', async () => {
    const { api, postgres } = rig;
    const silo = await startSilo(api, 'unknown-start');
    const feed = () =>
      inTime(api.post(`${silo.path}/operations/feed`, { amount: 1 }, { 'idempotency-key': 'unknown start' }));
    // The server confirms only after the time limit of the client.
    await change(
      postgres.url,
      `CREATE FUNCTION commit_slowly() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN PERFORM pg_sleep(5); RETURN NULL; END $$;
       CREATE CONSTRAINT TRIGGER commit_slowly AFTER INSERT ON operations DEFERRABLE INITIALLY DEFERRED
         FOR EACH ROW EXECUTE FUNCTION commit_slowly();`,
    );
    const { status, body } = await feed();
    assert.deepEqual([status, body.error.code], [503, 'storage_unavailable']);
    assert.match(body.error.message, /may have been made or not.*same Idempotency-Key/);
    const stored = async () => (await api.get(`${silo.path}/operations`)).body.data[0];
    await eventually(async () => (await stored())?.status, 'started');
    await change(postgres.url, 'DROP TRIGGER commit_slowly ON operations');
    const again = await feed();
    assert.deepEqual([again.status, again.headers.get('idempotency-replayed')], [200, 'true']);
    while ((await stored()).status !== 'failed') {
      const { operation_id } = await silo.take('report');
      await silo.progress({ operation_id, state: 'unknown', amount_kg: 0 });
    }
    assert.equal((await stored()).failure.reason, 'outcome_unknown');
    assert.equal(silo.commands.filter(({ command }) => command === 'start').length, 0);
    await silo.leave();
  });

  test('a device that had connected before can connect again and be stopped', async () => {
    const { api } = rig;
    const { silo, path } = await feedingSilo(api, 'returning');
    await whileFrozen(async () => {
      await silo.dropConnection();
      await silo.reconnect();
      const answering = api.post(`${path}/stop`);
      await silo.take('stop');
      assert.equal((await answering).status, 200);
    });
    await eventually(async () => (await api.get(path)).body.data?.status, 'stopping');
    await silo.leave();
  });

  // This test is the last one, because it ends the service.
  test('the service ends within ten seconds of a signal', async () => {
    const reporting = await startSilo(rig.api, 'reporting');
    await whileFrozen(async () => {
      reporting.weigh(400).catch(() => undefined);
      const { ms } = await timed(rig.stopService());
      assert.ok(ms < STOPPED_MS_MAX, `${ms} ms`);
    });
    await reporting.leave();
  });
});
