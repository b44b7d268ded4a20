import { HOME, ROVER, SILO, SILOS, type Tour } from './tour-client.ts';

const LOOKED = { reason: 'it stands still', looked_by: 'Ada' };

export async function operations({ client, silo }: Tour): Promise<void> {
  const path = `${SILO}/operations`;
  await client.step('POST', `${path}/feed`, { body: { amount: 2_000 } });
  await client.step('POST', `${path}/feed`, { body: { amount: -1, unit: 'stone' } });
  await client.step('POST', `${path}/discharge`, { body: { amount: 10 } });
  await client.step('POST', `${SILOS}/tour-silo-2/operations/feed`, { body: { amount: 1 } });
  const feed = await client.step('POST', `${path}/feed`, { body: { amount: 10, rate: 60 } });
  const feedId = feed.body.data.operation_id;
  await silo.command('start');
  await client.step('POST', `${path}/feed`, { body: { amount: 10 } });
  await client.step('GET', `${path}/${feedId}`);
  await silo.publish('ack', { operation_id: feedId, accepted: true });
  await silo.publish('progress', { operation_id: feedId, state: 'running', amount_kg: 4, ts: Date.now() });
  await client.waitFor(`${path}/${feedId}`, ({ amount_completed }) => amount_completed === 4);
  await client.step('GET', `${path}/${feedId}`);
  await silo.publish('progress', { operation_id: feedId, state: 'completed', amount_kg: 10, ts: Date.now() });
  await client.waitFor(`${path}/${feedId}`, ({ status }) => status === 'completed');
  await client.step('GET', `${path}/${feedId}`);
  const request = { amount: 5, rate: 60, target_container: 'cart' };
  const discharge = await client.step('POST', `${path}/discharge`, { body: request });
  const dischargeId = discharge.body.data.operation_id;
  await silo.command('start');
  await silo.publish('ack', { operation_id: dischargeId, accepted: true });
  await silo.publish('progress', {
    operation_id: dischargeId,
    state: 'running',
    amount_kg: 1,
    ts: Date.now(),
  });
  await client.waitFor(
    `${path}/${dischargeId}`,
    ({ status }) => status === 'in_progress' || status === 'running',
  );
  await client.step('POST', `${path}/${dischargeId}/stop`);
  await silo.command('stop');
  await silo.publish('progress', {
    operation_id: dischargeId,
    state: 'stopped',
    amount_kg: 2,
    ts: Date.now(),
  });
  await client.waitFor(`${path}/${dischargeId}`, ({ status }) => status === 'stopped');
  await client.step('POST', `${path}/${dischargeId}/stop`);
  await client.step('GET', path);
  await client.step('GET', `${path}?status=stopped`);
  await client.step('GET', `${path}?status=sideways`);
  await client.step('GET', `${path}/op_none`);
  await client.step('POST', `${path}/op_none/stop`);
  await client.step('POST', `${path}/${dischargeId}/declare-ended`, { body: LOOKED });
  await client.step('POST', `${path}/${dischargeId}/declare-ended`, { body: {} });
}

export async function commands({ client, rover }: Tour): Promise<void> {
  const path = `${ROVER}/remote`;
  await client.step('POST', `${path}/command`, { body: { command: 'dance' } });
  await client.step('POST', `${path}/command`, { body: { command: 'move_to_coordinates', parameters: {} } });
  const scan = await client.step('POST', `${path}/command`, { body: { command: 'scan' } });
  const scanId = scan.body.data?.command_id ?? 'cmd_none';
  if (scan.status === 200) {
    await rover.command('execute');
    await rover.publish('ack', { command_id: scanId, accepted: true });
    await rover.publish('progress', { command_id: scanId, state: 'succeeded', ts: Date.now() });
    await client.waitFor(`${path}/commands/${scanId}`, ({ ended_at }) => ended_at !== null);
  }
  await client.step('GET', `${path}/commands/${scanId}`);
  const stop = await client.step('POST', `${path}/command`, { body: { command: 'emergency_stop' } });
  const stopId = stop.body.data.command_id;
  await rover.command('execute');
  await client.step('POST', `${path}/command`, {
    body: { command: 'move_to_coordinates', parameters: HOME },
  });
  await rover.publish('ack', { command_id: stopId, accepted: true });
  await rover.publish('progress', { command_id: stopId, state: 'succeeded', ts: Date.now() });
  await client.waitFor(`${path}/commands/${stopId}`, ({ status }) => status === 'succeeded');
  await client.step('GET', ROVER);
  const release = await client.step('POST', `${path}/command`, {
    body: { command: 'release_emergency_stop' },
  });
  if (release.status === 200) {
    await rover.command('execute');
    const releaseId = release.body.data.command_id;
    await rover.publish('ack', { command_id: releaseId, accepted: true });
    await rover.publish('progress', { command_id: releaseId, state: 'succeeded', ts: Date.now() });
    await client.waitFor(`${path}/commands/${releaseId}`, ({ status }) => status === 'succeeded');
  }
  await client.step('GET', `${path}/commands`);
  await client.step('GET', `${path}/commands?command=scan`);
  await client.step('GET', `${path}/commands/cmd_none`);
  await client.step('POST', `${path}/commands/${scanId}/declare-ended`, { body: LOOKED });
}

export async function missions({ client, rover }: Tour): Promise<void> {
  const path = `${ROVER}/missions`;
  const waypoints = [
    { lat: HOME.latitude + 0.0001, lng: HOME.longitude, action: 'scan' },
    { lat: HOME.latitude, lng: HOME.longitude + 0.0001, action: 'collect_sample' },
  ];
  await client.step('POST', path, { body: { mission_name: 'none', waypoints: [] } });
  await client.step('POST', path, {
    body: { mission_name: 'far', waypoints: [{ lat: 10, lng: 10, action: 'scan' }] },
  });
  await client.step('POST', `${path}/preflight`, { body: { waypoints } });
  await client.step('POST', `${path}/preflight`, {
    body: { waypoints: [{ lat: 10, lng: 10, action: 'scan' }] },
  });
  const created = await client.step('POST', path, { body: { mission_name: 'Two samples', waypoints } });
  const missionId = created.body.data.mission_id;
  await rover.command('mission_upload');
  await rover.publish('ack', { mission_id: missionId, accepted: true });
  await rover.command('mission_start');
  await rover.publish('progress', { mission_id: missionId, state: 'running', ts: Date.now() });
  await client.waitFor(`${path}/${missionId}`, ({ status }) => status === 'in_progress');
  await client.step('GET', `${path}/${missionId}`);
  await client.step('POST', `${path}/${missionId}/pause`);
  await rover.command('mission_pause');
  await rover.publish('progress', { mission_id: missionId, state: 'paused', ts: Date.now() });
  await client.waitFor(`${path}/${missionId}`, ({ status }) => status === 'paused');
  await client.step('POST', `${path}/${missionId}/resume`);
  await rover.command('mission_resume');
  await rover.publish('progress', { mission_id: missionId, state: 'running', ts: Date.now() });
  await client.waitFor(`${path}/${missionId}`, ({ status }) => status === 'in_progress');
  await client.step('POST', `${path}/${missionId}/cancel`);
  await rover.command('mission_cancel');
  await rover.publish('progress', { mission_id: missionId, state: 'aborted', ts: Date.now() });
  await client.waitFor(`${path}/${missionId}`, ({ status }) => status === 'cancelled');
  await client.step('POST', `${path}/${missionId}/resume`);
  await client.step('GET', path);
  await client.step('GET', `${path}?status=sideways`);
  await client.step('GET', `${path}/ms_none`);
  await client.step('POST', `${path}/${missionId}/declare-ended`, { body: LOOKED });
}
