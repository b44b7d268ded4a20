import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import type { CommandRequest } from '@granary/contract/commands';
import type { CommandProgress } from '@granary/contract/link/field-messages';
import { DAY_MS } from '@granary/contract/time';
import { describeEachEngine } from '@granary/testing/app/engines';
import {
  eventsOfDevice,
  isRefusal,
  NOW_MS,
  newFieldDevice,
  newId,
  readyFieldDevice,
  readySilo,
  registerDevice,
} from '@granary/testing/app/fixtures';
import { effectsDuring, sentIn } from '@granary/testing/app/recorded-effects';
import type { App } from '../app.ts';
import { COMMANDS_UNFINISHED_MAX } from './commands.ts';

const MOVE = {
  command: 'move_to_coordinates',
  parameters: { latitude: 52.001, longitude: 13, altitude: 40 },
} as const;
const FENCE = [
  { lat: 51.9, lng: 12.9 },
  { lat: 51.9, lng: 13.1 },
  { lat: 52.1, lng: 13 },
];

describeEachEngine('commands', (engine) => {
  let app: App;
  let other: App;
  before(async () => {
    app = await engine.open();
    other = await engine.open();
  });

  const issue = (
    deviceNo: number,
    request: CommandRequest,
    { commandId = newId('cmd'), nowMs = NOW_MS, isReachable = true } = {},
  ) => app.commands.issue({ deviceNo, commandId, request, isReachable, nowMs });

  const report = (deviceNo: number, commandId: string, state: CommandProgress['state'], nowMs = NOW_MS) =>
    app.commands.progressed({ deviceNo, progress: { command_id: commandId, state, ts: nowMs }, nowMs });

  const statusEvents = async (deviceNo: number): Promise<unknown[]> =>
    (await eventsOfDevice(app, deviceNo))
      .filter(({ type }) => type === 'command.status_changed')
      .map(({ data }) => `${data['command']} ${data['status']}`);

  const statusOf = async (deviceNo: number, commandId: string) =>
    (await app.commands.find(deviceNo, commandId))?.status;

  it('are sent to a reachable device, and follow its reports to their end', async () => {
    const deviceNo = await readyFieldDevice(app);
    const { result, effects } = await effectsDuring(app, () => issue(deviceNo, MOVE));
    const { command, message } = result;
    const { commandId } = command;
    assert.deepEqual([command.status, message], ['sent', null]);
    const [sent] = sentIn(effects);
    assert.partialDeepStrictEqual(sent?.message, {
      command: 'execute',
      command_id: commandId,
      name: 'move_to_coordinates',
      parameters: MOVE.parameters,
    });
    assert.equal(effects.at(-1)?.kind, 'events_logged');
    assert.deepEqual(await app.commands.find(deviceNo, commandId), command);
    const ack = { command_id: commandId, accepted: true };
    const outcome = await app.commands.acknowledged({ deviceNo, ack, nowMs: NOW_MS + 1 });
    assert.deepEqual(outcome, { kind: 'applied' });
    await report(deviceNo, commandId, 'succeeded', NOW_MS + 2);
    const statuses = ['queued', 'sent', 'executing', 'succeeded'];
    assert.deepEqual(
      await statusEvents(deviceNo),
      statuses.map((status) => `move_to_coordinates ${status}`),
    );
    assert.deepEqual(
      await engine.query(`SELECT is_finished FROM commands WHERE command_id = '${commandId}'`),
      [[1]],
    );
  });

  it('wait for a device that is not reachable, unless they would set it in motion', async () => {
    const deviceNo = await registerDevice(app, newFieldDevice());
    const notReachable = { isReachable: false };
    const waiting = await effectsDuring(app, () => issue(deviceNo, { command: 'hold' }, notReachable));
    assert.deepEqual([waiting.result.command.status, sentIn(waiting.effects)], ['queued', []]);
    for (const request of [MOVE, { command: 'scan' }, { command: 'release_emergency_stop' }] as const) {
      await assert.rejects(issue(deviceNo, request, notReachable), isRefusal('device_offline'));
    }
    const stop = await effectsDuring(app, () => issue(deviceNo, { command: 'emergency_stop' }, notReachable));
    const { command, message } = stop.result;
    assert.deepEqual([command.status, message?.command], ['queued', 'execute']);
    // The urgent path sends the stop, so no effect does.
    assert.deepEqual(sentIn(stop.effects), []);
  });

  it('that could not be sent have failed, or are queued again if they cause no movement', async () => {
    const deviceNo = await readyFieldDevice(app);
    const statusAfter = async (request: CommandRequest) => {
      const { commandId } = (await issue(deviceNo, request)).command;
      const unsent = { deviceNo, commandId, delivery: 'not_connected', nowMs: NOW_MS } as const;
      await app.commands.notSent(unsent);
      const command = await app.commands.find(deviceNo, commandId);
      return [command?.status, command?.result?.reason];
    };
    assert.deepEqual(await statusAfter(MOVE), ['failed', 'not_sent']);
    assert.deepEqual(await statusAfter({ command: 'hold' }), ['queued', undefined]);
  });

  it('are refused while an emergency stop is in force, also after a restart, until it is released', async () => {
    const deviceNo = await readyFieldDevice(app);
    const { commandId } = (await issue(deviceNo, { command: 'emergency_stop' })).command;
    const release = { command: 'release_emergency_stop' } as const;
    await assert.rejects(issue(deviceNo, release), isRefusal('emergency_stop_unconfirmed'));
    for (const state of ['failed', 'cancelled', 'unknown'] as const) await report(deviceNo, commandId, state);
    assert.equal(await statusOf(deviceNo, commandId), 'sent');
    await report(deviceNo, commandId, 'succeeded', NOW_MS + 1);
    const restarted = await engine.open();
    const issueRequest = { deviceNo, request: MOVE, isReachable: true, nowMs: NOW_MS + DAY_MS };
    await assert.rejects(
      restarted.commands.issue({ ...issueRequest, commandId: newId('cmd') }),
      isRefusal('emergency_stop_active'),
    );
    assert.equal((await restarted.commands.stopInForce(deviceNo))?.commandId, commandId);
    await restarted.close();
    const again = (await issue(deviceNo, { command: 'emergency_stop' }, { nowMs: NOW_MS + 2 })).command;
    assert.equal((await app.commands.stopInForce(deviceNo))?.latchedSinceMs, NOW_MS);
    await report(deviceNo, again.commandId, 'succeeded', NOW_MS + 3);
    const released = await effectsDuring(app, () => issue(deviceNo, release));
    assert.equal(sentIn(released.effects)[0]?.message.command, 'execute');
    assert.equal(await app.commands.stopInForce(deviceNo), undefined);
    assert.equal((await issue(deviceNo, MOVE)).command.status, 'sent');
    assert.deepEqual(
      await engine.query(`SELECT command FROM commands WHERE device_no = ${deviceNo} AND is_finished = 1`),
      [['emergency_stop'], ['emergency_stop']],
    );
  });

  it('are neither stored nor logged when they are refused', async () => {
    const deviceNo = await readyFieldDevice(app);
    await app.configuration.change(deviceNo, { geofence: FENCE }, NOW_MS);
    const outside = { ...MOVE, parameters: { ...MOVE.parameters, latitude: 53 } };
    const commandId = newId('cmd');
    await assert.rejects(issue(deviceNo, outside, { commandId }), isRefusal('outside_geofence'));
    assert.equal(await app.commands.find(deviceNo, commandId), undefined);
    assert.deepEqual(await statusEvents(deviceNo), []);
    await assert.rejects(issue(await readySilo(app), { command: 'hold' }), isRefusal('not_supported'));
    await assert.rejects(issue(999_999, { command: 'hold' }), isRefusal('device_not_found'));
  });

  it('are issued once under the same id, also by two nodes at once', async () => {
    const deviceNo = await readyFieldDevice(app);
    const commandId = newId('cmd');
    const issueRequest = { deviceNo, commandId, request: MOVE, isReachable: true, nowMs: NOW_MS };
    const issueTenTimes = (at: App) =>
      effectsDuring(at, () => Promise.all(Array.from({ length: 10 }, () => at.commands.issue(issueRequest))));
    const both = await Promise.all([issueTenTimes(app), issueTenTimes(other)]);
    const issued = both.flatMap(({ result }) => result);
    assert.equal(both.flatMap(({ effects }) => sentIn(effects)).length, 1);
    assert.deepEqual(new Set(issued.map(({ command }) => command.status)), new Set(['sent']));
    assert.equal((await statusEvents(deviceNo)).length, 2);
  });

  it('are cancelled by an emergency stop, which exists once until the device confirms it', async () => {
    const deviceNo = await registerDevice(app, newFieldDevice());
    const waiting = (await issue(deviceNo, { command: 'hold' }, { isReachable: false })).command.commandId;
    const stop: CommandRequest = { command: 'emergency_stop' };
    const stops = await Promise.all([issue(deviceNo, stop), issue(deviceNo, stop), issue(deviceNo, stop)]);
    const ids = new Set(stops.map(({ command }) => command.commandId));
    assert.equal(ids.size, 1);
    assert.equal(stops.filter(({ message }) => message !== null).length, 1);
    assert.equal(await statusOf(deviceNo, waiting), 'cancelled');
    const [stopId = ''] = ids;
    await report(deviceNo, stopId, 'succeeded');
    const next = await issue(deviceNo, stop);
    assert(!ids.has(next.command.commandId) && next.message !== null);
  });

  it('of another device, and unknown ones, are an unknown reference in a report', async () => {
    const deviceNo = await readyFieldDevice(app);
    const otherDeviceNo = await readyFieldDevice(app);
    const { commandId } = (await issue(deviceNo, MOVE)).command;
    const ack = { command_id: commandId, accepted: false };
    const outcomes = [
      await report(otherDeviceNo, commandId, 'succeeded'),
      await app.commands.acknowledged({ deviceNo: otherDeviceNo, ack, nowMs: NOW_MS }),
      await report(deviceNo, 'cmd_unknown', 'succeeded'),
    ];
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      Array(3).fill('unknown_reference'),
    );
    assert.equal(await statusOf(deviceNo, commandId), 'sent');
    assert.equal(await app.commands.find(otherDeviceNo, commandId), undefined);
  });

  it('are limited in number while the device reports nothing about them, except for emergency stops', async () => {
    const deviceNo = await readyFieldDevice(app);
    for (let n = 0; n < COMMANDS_UNFINISHED_MAX; n++) await issue(deviceNo, { command: 'hold' });
    await assert.rejects(issue(deviceNo, { command: 'hold' }), isRefusal('rate_limited'));
    assert.notEqual((await issue(deviceNo, { command: 'emergency_stop' })).message, null);
  });
});
