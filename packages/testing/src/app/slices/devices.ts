import { DAY_MS, toIso } from '@granary/contract/time';
import { newDevice } from '../fixtures.ts';
import { atMs, LIMIT, ofEach, type WhoMayOf, type WriteRound, type WritesOf } from '../write-round.ts';

/** Removes a device of its own, because the other writes would be refused for a removed one. */
async function registerAndRemove(round: WriteRound): Promise<void> {
  const { app, node } = round;
  const device = newDevice({ deviceId: `removed-${round.round}-${node}`, registeredAtMs: atMs(round) });
  const { deviceNo } = await app.devices.register(device);
  await Promise.all([true, false, true].map((purges) => app.devices.remove(deviceNo, atMs(round), purges)));
}

/** Restores a removed device. Its name matches no other write, because a document that names a removed device would be refused. */
async function removeAndRestore(round: WriteRound): Promise<void> {
  const { app, node } = round;
  const device = newDevice({
    deviceId: `removed-and-back-${round.round}-${node}`,
    registeredAtMs: atMs(round),
  });
  const { deviceNo } = await app.devices.register(device);
  await app.devices.remove(deviceNo, atMs(round));
  await app.devices.restore(deviceNo, 'hash of another secret', atMs(round));
}

/** Purges the devices that earlier rounds have removed. */
async function purgeSteps(round: WriteRound): Promise<void> {
  const nowMs = atMs(round) + DAY_MS;
  while (await round.app.devices.purgeStep({ nowMs, rowsMax: LIMIT }));
}

export const whoMay: WhoMayOf<'devices'> = {
  register: 'rights',
  update: 'rights',
  maintain: 'rights',
  remove: 'rights',
  restore: 'rights',
  purgeStep: 'nobody',
  replaceSecret: 'rights',
  recordDuplicate: 'nobody',
  recordLinkDown: 'nobody',
  recordState: 'nobody',
};

export const writes: WritesOf<'devices'> = {
  register: (round) => [
    round.app.devices.register(newDevice({ deviceId: `new-${round.round}`, registeredAtMs: atMs(round) })),
  ],
  update: (round) =>
    ofEach([...round.silos, ...round.rovers], (deviceNo) =>
      round.app.devices.update(
        deviceNo,
        { sensors: [{ sensor_id: `co2_${round.round}`, type: 'co2', unit: 'ppm' }] },
        atMs(round),
      ),
    ),
  // The maintenance is over before the time of the round, so that the other writes are not refused.
  maintain: (round) =>
    ofEach([...round.silos, ...round.rovers], (deviceNo) => {
      const request = { on: true, reason: 'gate', until: toIso(atMs(round) - 10) };
      return round.app.devices.maintain(deviceNo, request, atMs(round) - 20);
    }),
  remove: (round) => [registerAndRemove(round)],
  restore: (round) => [removeAndRestore(round)],
  purgeStep: (round) => [purgeSteps(round), purgeSteps(round)],
  replaceSecret: (round) =>
    ofEach(round.silos, (deviceNo) =>
      round.app.devices.replaceSecret(deviceNo, `hash ${round.round}`, atMs(round)),
    ),
  recordDuplicate: (round) =>
    ofEach([...round.silos, ...round.rovers], (deviceNo) => {
      const nowMs = atMs(round);
      const duplicate = { sinceMs: nowMs, lastAtMs: nowMs, takeovers: 5, addresses: ['10.0.0.1'] };
      return round.app.devices.recordDuplicate(deviceNo, duplicate);
    }),
  recordLinkDown: (round) =>
    ofEach([...round.silos, ...round.rovers], (deviceNo) =>
      // The time is just before the device was seen again, because otherwise it would be offline in every round.
      round.app.devices.recordLinkDown(deviceNo, atMs(round) - 1),
    ),
  recordState: (round) =>
    ofEach([...round.silos, ...round.rovers], (deviceNo) =>
      round.app.devices.recordState(deviceNo, 'online', atMs(round)),
    ),
};
