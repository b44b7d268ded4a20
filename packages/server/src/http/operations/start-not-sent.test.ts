import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { holdStorage } from '@granary/testing/app/held-storage';
import { startSilo } from '@granary/testing/server/devices/scripted-silo';
import { eventually } from '@granary/testing/server/eventually';
import { describeLinkService } from '@granary/testing/server/service';

const FEED = { amount: 100, rate: 50 };
/** This is long enough for a request to reach the storage, and for a closed connection to be noticed. */
const NOTICED_MS = 300;

describeLinkService('a start whose device disconnects while it is being stored', (api, location) => {
  test('has failed immediately, the next start is accepted, and each repetition of the request has the same answer', async () => {
    const silo = await startSilo(api, 'disconnected');
    const path = `${silo.path}/operations`;
    const key = { 'idempotency-key': 'a start that is not sent' };
    const release = await holdStorage(location());
    const starting = api.post(`${path}/feed`, FEED, key);
    await sleep(NOTICED_MS);
    await silo.dropConnection();
    await sleep(NOTICED_MS);
    await release();
    const answer = await starting;
    assert.deepEqual([answer.status, answer.body.error.code], [409, 'device_offline']);

    const [failed] = (await api.get(path)).body.data;
    assert.deepEqual([failed.status, failed.failure.reason], ['failed', 'not_sent']);
    assert.match(failed.status_detail, /was not sent, so nothing moved: the device is not connected/);
    assert.equal(answer.body.error.message, failed.failure.message);
    const again = await api.post(`${path}/feed`, FEED, key);
    const { request_id: _, ...first } = answer.body.error;
    const { request_id: __, ...repeated } = again.body.error;
    assert.deepEqual([again.status, repeated], [answer.status, first]);

    await silo.reconnect();
    await silo.weigh(500);
    const next = await api.post(`${path}/feed`, FEED);
    assert.equal(next.status, 200, next.text);
    assert.equal((await silo.take('start')).operation_id, next.body.data.operation_id);
    assert.equal(silo.commands.length, 1);
    await silo.leave();
  });
});

describeLinkService('a stop that waits for its device', (api) => {
  test('is sent once the device is connected again', async () => {
    const silo = await startSilo(api, 'returning');
    const { operation_id: id } = (await api.post(`${silo.path}/operations/feed`, FEED)).body.data;
    await silo.take('start');
    await silo.ack({ operation_id: id, accepted: true });
    await silo.dropConnection();
    const path = `${silo.path}/operations/${id}`;
    const status = async () => (await api.get(path)).body.data.status;
    await eventually(status, 'unconfirmed');
    assert.equal((await api.post(`${path}/stop`)).body.data.status, 'stopping');
    await silo.reconnect();
    await silo.take('stop');
    await silo.progress({ operation_id: id, state: 'stopped', amount_kg: 3 });
    await eventually(status, 'stopped');
    await silo.leave();
  });
});
