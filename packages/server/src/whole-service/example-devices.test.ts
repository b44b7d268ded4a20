import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { checkOperationAck, checkOperationProgress } from '@granary/contract/link/messages';
import { IS_FULL_SIZE } from '@granary/testing/contract/size';
import { MosquittoBroker } from '@granary/testing/link/mosquitto-broker';
import { hasProgram, mayTestWith, pythonWithPaho } from '@granary/testing/link/outside-clients';
import { ExampleSilo } from '@granary/testing/server/devices/example-silo';
import { eventually } from '@granary/testing/server/eventually';
import { type Api, apiOf, siloNamed } from '@granary/testing/server/service';
import { type ServiceProcess, startServiceProcess } from '@granary/testing/server/service-process';

const scriptPath = (name: string): string =>
  fileURLToPath(new URL(`../../../../examples/devices/${name}`, import.meta.url));

/** This is long enough for a gate that was opened by mistake to show in the weight. */
const NOTICED_MS = 700;
/** The weight and the amount are both rounded to a gram. */
const ROUNDING_KG = 0.0011;
/** This is the time of several reports. */
const ABSENT_MS = 1_500;
const CONFIGURATION = {
  reporting: { interval_s: 0.2 },
  operation_limits: { max_feed_rate: 600, max_discharge_rate: 600 },
};

const EXAMPLES = [
  { name: 'Python', script: 'silo_device.py', findCommand: pythonWithPaho, needs: 'paho' },
  { name: 'JavaScript', script: 'silo-device.mjs', findCommand: () => process.execPath, needs: null },
] as const;

const hasMosquitto = hasProgram('mosquitto');
const BROKERS = ['the broker of the service', 'Mosquitto'];
/** Usually each program and each broker is used once; the full size runs all pairs. */
const CASES = EXAMPLES.flatMap((example, index) =>
  BROKERS.filter((_, broker) => IS_FULL_SIZE || broker !== index).map((broker) => ({ ...example, broker })),
);

for (const { name, script, findCommand, needs, broker } of CASES) {
  describe(`the example silo in ${name} with ${broker}`, { timeout: 300_000 }, () => {
    const isExternal = broker === 'Mosquitto';
    const deviceId = `silo-${name.toLowerCase()}`;
    const path = `/v1/siloscale/devices/${deviceId}`;
    const command = findCommand();
    const isThere = (t: TestContext): boolean =>
      (needs === null || mayTestWith(t, needs, command !== undefined)) &&
      (!isExternal || mayTestWith(t, 'mosquitto', hasMosquitto));
    let service: ServiceProcess | undefined;
    let silo: ExampleSilo | undefined;
    let mosquitto: MosquittoBroker | undefined;
    let folder = '';

    const device = (): ExampleSilo => {
      if (silo === undefined) throw new Error('the device was not started');
      return silo;
    };
    const api: Api = apiOf(
      () => {
        if (service === undefined) throw new Error('the service was not started');
        return service;
      },
      () => service?.adminKey.key ?? '',
    );

    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'granary-example-'));
      if (isExternal && !hasMosquitto) return;
      mosquitto = isExternal ? await MosquittoBroker.start() : undefined;
      service = await startServiceProcess({
        GRANARY_DATA_DIR: join(folder, 'data'),
        GRANARY_BROKER_URL: mosquitto?.url ?? '',
      });
      const registered = await api.post('/v1/siloscale/devices', siloNamed(deviceId));
      assert.equal((await api.put(`${path}/config`, CONFIGURATION)).status, 200);
      if (command === undefined) return;
      silo = new ExampleSilo({
        command,
        script: scriptPath(script),
        deviceId,
        memoryFile: join(folder, 'memory.json'),
        secret: registered.body.data.credentials.secret,
        servicePort: portOf(service.mqttUrl),
      });
      await silo.start();
    });

    after(async () => {
      await silo?.remove();
      await service?.stop();
      await mosquitto?.remove();
      await rm(folder, { recursive: true, force: true });
    });

    const read = async (what: string) => (await api.get(`${path}${what}`)).body.data;
    const weight = async (): Promise<number | null> => (await read('/sensors')).level.actual;
    const begin = async (type: 'feed' | 'discharge', amount: number, rate: number): Promise<string> => {
      const target = type === 'discharge' ? { target_container: 'truck' } : {};
      const answer = await api.post(`${path}/operations/${type}`, { amount, rate, ...target });
      assert.equal(answer.status, 200, answer.text);
      return answer.body.data.operation_id;
    };
    const operation = (id: string) => read(`/operations/${id}`);
    const reaches = (id: string, status: string) =>
      eventually(async () => (await operation(id)).status, status);
    const moves = (id: string) => eventually(async () => (await operation(id)).amount_completed > 0, true);
    const repliesOn = (id: string) =>
      device()
        .published.filter(({ payload }) => payload['operation_id'] === id)
        .map(({ subject, payload }) => ({ subject, payload }));
    const acksOf = (id: string) =>
      repliesOn(id)
        .filter(({ subject }) => subject === 'ack')
        .map(({ payload }) => payload['accepted']);
    const startOf = (id: string, expiresInMs: number) => ({
      command: 'start',
      operation_id: id,
      type: 'feed',
      amount_kg: 50,
      rate_kg_per_min: 600,
      max_amount_kg: 51,
      max_duration_s: 60,
      expires_at: new Date(Date.now() + expiresInMs).toISOString(),
    });

    it('connects, reports as often as its configuration says, and can be commanded', async (t) => {
      if (!isThere(t)) return;
      await eventually(weight, 500);
      await eventually(async () => (await read('/link')).subscribed, true);
      await eventually(async () => (await read('')).status, 'online');
      const readings = () => device().published.filter(({ subject }) => subject === 'telemetry').length;
      await eventually(async () => readings() > 5, true);
    });

    it('carries out a feed, and only once when its start is sent again', async (t) => {
      if (!isThere(t)) return;
      const id = await begin('feed', 6, 300);
      await reaches(id, 'completed');
      await eventually(weight, 506);
      const { amount_completed, failure } = await operation(id);
      assert.deepEqual([amount_completed, failure], [6, null]);
      await eventually(async () => (await operation(id)).measured_amount, 6);
      assert.deepEqual(acksOf(id), [true]);

      device().inject('command', startOf(id, 10_000));
      await eventually(async () => acksOf(id).length, 2);
      await sleep(NOTICED_MS);
      assert.equal(await weight(), 506, 'a start that is known moves nothing');
      assert.equal((await operation(id)).status, 'completed');
    });

    it('refuses a start that has expired, also when it is sent again with a later expiry', async (t) => {
      if (!isThere(t)) return;
      device().inject('command', startOf('op_late', -1));
      await eventually(async () => acksOf('op_late').length, 1);
      device().inject('command', startOf('op_late', 10_000));
      await eventually(async () => acksOf('op_late').length, 2);
      await sleep(NOTICED_MS);
      assert.deepEqual(acksOf('op_late'), [false, false]);
      assert.equal(await weight(), 506);
    });

    it('stops a discharge immediately, whatever else it is sent', async (t) => {
      if (!isThere(t)) return;
      const id = await begin('discharge', 100, 60);
      await moves(id);
      device().inject('command', startOf('op_second', 10_000));
      await eventually(async () => acksOf('op_second').join(), 'false');
      device().inject('command', { command: 'report', operation_id: 'op_unknown' });
      await eventually(async () => repliesOn('op_unknown')[0]?.payload['state'], 'unknown');
      for (const payload of [
        '{',
        '[]',
        '{"command":"start","operation_id":"op_half"}',
        '{"command":"unknown"}',
      ]) {
        device().inject('command', payload);
      }
      assert.equal((await api.post(`${path}/operations/${id}/stop`)).status, 200);
      await reaches(id, 'stopped');
      const { amount_completed } = await operation(id);
      assert.ok(amount_completed > 0 && amount_completed < 20, `${amount_completed} kg`);
      const agrees = async () => Math.abs(506 - ((await weight()) ?? 0) - amount_completed) <= ROUNDING_KG;
      await eventually(agrees, true);
      await sleep(NOTICED_MS);
      assert.ok(await agrees(), 'nothing moved after the stop');
    });

    it('connects again by itself, and sends the readings of the time without a connection', async (t) => {
      if (!isThere(t)) return;
      const fromMs = Date.now();
      device().cut(ABSENT_MS);
      await eventually(async () => (await read('/link')).connects, 2);
      const measuredMeanwhile = () =>
        device().published.filter(({ subject, payload }) => {
          const tsMs = Number(payload['ts']);
          return subject === 'telemetry' && tsMs > fromMs && tsMs < fromMs + ABSENT_MS;
        }).length;
      await eventually(async () => measuredMeanwhile() >= 3, true);
      await eventually(async () => (await read('/link')).subscribed, true);
    });

    it('reports an operation that a restart interrupted as failed, and does not begin it again', async (t) => {
      if (!isThere(t)) return;
      const id = await begin('feed', 100, 60);
      await moves(id);
      await device().end('SIGKILL');
      await device().start();
      await reaches(id, 'failed');
      assert.deepEqual((await operation(id)).failure, {
        reason: 'device_fault',
        message: 'the device was restarted',
        message_code: 'device_said',
        message_values: { words: 'the device was restarted' },
      });
      assert.ok((await operation(id)).amount_completed > 0, 'the moved amount is kept');
      device().inject('command', startOf(id, 10_000));
      await eventually(async () => acksOf(id).length, 2);
      await sleep(NOTICED_MS);
      assert.equal(await weight(), 500);
    });

    it('ends an operation by itself after its longest duration', async (t) => {
      if (!isThere(t)) return;
      const slow = { ...startOf('op_slow', 10_000), rate_kg_per_min: 6, max_duration_s: 1 };
      device().inject('command', slow);
      await eventually(async () => repliesOn('op_slow').at(-1)?.payload['state'], 'failed');
      const { reason, amount_kg } = repliesOn('op_slow').at(-1)?.payload ?? {};
      assert.deepEqual([reason, amount_kg], ['max_duration_s has passed', 0.1]);
      // The next operation can begin when the service knows of the end, too.
      await eventually(async () => (await operation('op_slow'))?.status, 'failed');
    });

    it('closes its gate and disconnects cleanly when it is switched off', async (t) => {
      if (!isThere(t)) return;
      const id = await begin('discharge', 100, 60);
      await moves(id);
      await device().end('SIGTERM');
      await reaches(id, 'failed');
      assert.equal((await operation(id)).failure.message, 'the device was switched off');
      await eventually(async () => (await read('')).status, 'offline');
      // Only its own broker sees how a connection ends.
      const reason = isExternal ? 'lost' : 'clean';
      await eventually(async () => (await read('/link')).last_disconnect.reason, reason);
    });

    it('has sent no message that was rejected, except answers to starts that the service did not send', async (t) => {
      if (!isThere(t)) return;
      const { recent } = await read('/rejections');
      const about = recent.map(({ payload }: { payload: string }) => JSON.parse(payload).operation_id);
      assert.deepEqual([...new Set(about)].toSorted(), ['op_late', 'op_second', 'op_slow']);
      for (const { subject, payload } of device().published) {
        if (subject === 'ack') assert.ok(checkOperationAck.accepts(payload), JSON.stringify(payload));
        if (subject === 'progress')
          assert.ok(checkOperationProgress.accepts(payload), JSON.stringify(payload));
      }
    });
  });
}

const portOf = (url: string): number => Number(new URL(url).port);
