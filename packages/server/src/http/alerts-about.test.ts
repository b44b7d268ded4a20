import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { STOP_CONFIRMATION_MS_MAX } from '@granary/core/commands/emergency-stop';
import { TestClock } from '@granary/testing/server/clock';
import { startRover } from '@granary/testing/server/devices/scripted-rover';
import { startSilo } from '@granary/testing/server/devices/scripted-silo';
import { EventReader } from '@granary/testing/server/event-reader';
import { eventually } from '@granary/testing/server/eventually';
import { dispatched } from '@granary/testing/server/missions';
import { describeService } from '@granary/testing/server/service';
import { WebhookReceiver } from '@granary/testing/server/webhooks/receiver';

const clock = new TestClock();

describeService(
  'an alert about an operation, a mission or a command',
  (api) => {
    after(() => clock.reset());

    /** Returns what the list of alerts, an event and a webhook name as the subject of an alert of the device. */
    async function about(deviceId: string, path: string, raise: () => Promise<void>) {
      const events = await EventReader.open(api, { query: `?type=alert.raised&device_id=${deviceId}` });
      const webhooks = new WebhookReceiver();
      const hook = { url: await webhooks.start(), event_types: ['alert.raised'], device_ids: [deviceId] };
      const { webhook_id } = (await api.post('/v1/webhooks', hook)).body.data;
      await raise();
      const [event] = await events.take(1);
      events.close();
      await eventually(async () => webhooks.messages.length, 1);
      await api.delete(`/v1/webhooks/${webhook_id}`);
      await webhooks.stop();
      const [listed] = (await api.get(`${path}/alerts`)).body.data;
      const [ofAll] = (await api.get(`/v1/alerts?device_id=${deviceId}`)).body.data;
      return [listed, ofAll, event?.data.data, webhooks.messages[0]?.body.data ?? {}].map(
        ({ about }) => about,
      );
    }

    test('says which one, wherever it is told', async () => {
      const silo = await startSilo(api, 'about-silo');
      let id = '';
      const ofOperation = await about('about-silo', silo.path, async () => {
        const order = { amount: 100, unit: 'kg', rate: 50, rate_unit: 'kg/min' };
        id = (await api.post(`${silo.path}/operations/feed`, order)).body.data.operation_id;
        await silo.take('start');
        await silo.ack({ operation_id: id, accepted: true });
        await silo.progress({ operation_id: id, state: 'failed', amount_kg: 3, reason: 'jam' });
      });
      assert.deepEqual(ofOperation, Array(4).fill({ kind: 'operation', id }));
      assert.equal((await api.get(`${silo.path}/operations/${id}`)).body.data.status, 'failed');
      await silo.leave();
    });

    test('says which one of a field device', async () => {
      const rover = await startRover(api, 'about-rover');
      let id = '';
      const ofMission = await about('about-rover', rover.path, async () => {
        ({ id } = await dispatched(api, rover));
        await rover.ack({ mission_id: id, accepted: false, reason: 'no tyres' });
      });
      assert.deepEqual(ofMission, Array(4).fill({ kind: 'mission', id }));
      const ofCommand = await about('about-rover', rover.path, async () => {
        const stop = { command: 'emergency_stop' };
        id = (await api.post(`${rover.path}/remote/command`, stop)).body.data.command_id;
        await rover.take('execute');
        clock.pass(STOP_CONFIRMATION_MS_MAX);
      });
      assert.deepEqual(ofCommand, Array(4).fill({ kind: 'command', id }));
      await rover.leave();
    });
  },
  { GRANARY_WEBHOOK_ALLOW_PRIVATE: 'on' },
  { now: clock.now },
);
