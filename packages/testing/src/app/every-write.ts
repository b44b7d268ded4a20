import assert from 'node:assert/strict';
import type { App } from '@granary/app/app';
import { DAY_MS, SECOND_MS, toIso } from '@granary/contract/time';
import { grantOf } from '@granary/core/keys';
import { siteDevice } from '@granary/core/site/site-device';
import { readingsOf } from '../core/readings.ts';
import { EVERY_BRIDGE_WRITE } from './every-bridge-write.ts';
import { EVERY_FORESIGHT_WRITE } from './every-foresight-write.ts';
import { EVERY_JOB_WRITE } from './every-job-write.ts';
import { EVERY_NOTIFICATION_WRITE } from './every-notification-write.ts';
import { EVERY_SESSION_WRITE, SESSION_OF_LASTING } from './every-session-write.ts';
import {
  EVERY_ALARM_HELP_WRITE,
  EVERY_REPORT_WRITE,
  EVERY_SHIFT_WRITE,
  EVERY_VIEW_WRITE,
} from './every-shift-write.ts';
import { EVERY_WEBHOOK_WRITE } from './every-webhook-write.ts';
import { batchOf, NOW_MS, newDevice, reading, readyFieldDevice, readySilo, weigh } from './fixtures.ts';
import { atMs, attemptOf, type EveryWrite, LIMIT, ofEach, type WriteRound } from './write-round.ts';

/** Raw readings of this age are removed again in the same round. */
const PAST_MS = 40 * DAY_MS;

const keyId = ({ round }: WriteRound): string => `key_${round}`;
const secret = (id: string, createdAtMs: number) => ({ keyId: id, hash: `hash of ${id}`, createdAtMs });

/** Appends the same rows in both orders. This causes no deadlock only if the order of the locks does not depend on the input. */
function append(round: WriteRound): Promise<unknown>[] {
  const { app, silos, rovers } = round;
  const nowMs = atMs(round);
  const weight = round.round % 2 ? 1_500_000 : 5_000_000;
  const batteryLevel = round.round % 2 ? 100_000 : 20_000;
  const position = { latitude: 520_000_000, longitude: 130_000_000, battery_level: batteryLevel };
  const readings = [
    ...silos.flatMap((no) => [reading(no, nowMs, { weight }), reading(no, nowMs - PAST_MS, { weight })]),
    ...rovers.flatMap((no) => readingsOf(no, nowMs, position)),
  ];
  const seen = [...silos, ...rovers].map((deviceNo) => ({ deviceNo, atMs: nowMs }));
  const rejections = silos.map((deviceNo) => {
    return { deviceNo, receivedAtMs: nowMs, topic: 'telemetry', reason: 'wrong', payload: '?' };
  });
  const cause = { code: 'other', text: 'wrong' } as const;
  const receptions = silos.map((deviceNo) => {
    return { deviceNo, atMs: nowMs, refusal: { taken: 'some', cause }, clockOffsetMs: 0 } as const;
  });
  return [
    app.telemetry.append({ ...batchOf({ readings, seen, rejections }), receptions }),
    app.telemetry.append({
      ...batchOf({
        readings: readings.toReversed(),
        seen: seen.toReversed(),
        rejections: rejections.toReversed(),
      }),
      receptions: receptions.toReversed(),
    }),
  ];
}

/** Applies a document that changes the devices of other writes and creates one; the nodes name them in opposite order. */
async function applySite(round: WriteRound): Promise<unknown> {
  const { app, node } = round;
  const listed = await app.site.devices({ facility: null, afterDeviceId: null, limit: LIMIT });
  const known = listed.filter(({ deviceId }) => !deviceId.startsWith('removed-'));
  const created = { ...newDevice({ deviceId: `site-${round.round}` }), removedAtMs: null };
  const url = 'https://example.com/site';
  const devices = [...known, created].map((device) => ({
    ...siteDevice(device),
    name: `Device ${round.round}`,
    configuration: { reporting: { offline_delay_s: 30 + (round.round % 5) } },
  }));
  return await app.site.apply({
    document: {
      version: 1,
      devices: node % 2 ? devices : devices.toReversed(),
      webhooks: [{ url, description: `round ${round.round}` }],
      notification_rules: [
        { name: 'of the site', targets: [{ webhook_url: url }], resolved: round.round % 2 === 0 },
      ],
    },
    isDryRun: false,
    secretHashes: { [created.deviceId]: 'hash' },
    newWebhookIds: { [url]: `wh_site_${round.round}_${node}` },
    webhookSecrets: { [url]: 'whsec_c2VjcmV0' },
    newRuleIds: { 'of the site': `nr_site_${round.round}_${node}` },
    unreachableUrls: [],
    canSendMail: true,
    nowMs: atMs(round),
  });
}

/** The devices that a node registers; each node has others. */
function registration(round: WriteRound) {
  const { configuration: _, ...device } = siteDevice({ ...newDevice(), removedAtMs: null });
  const rows = [1, 2].map((row) => ({
    row,
    device: { ...device, device_id: `row-${round.round}-${round.node}-${row}`, labels: { row: String(row) } },
    secretHash: 'hash',
  }));
  return { rows, nowMs: atMs(round) };
}

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

export const EVERY_WRITE: EveryWrite = {
  ...EVERY_JOB_WRITE,
  site: { apply: (round) => [applySite(round)] },
  bulk: {
    change: (round) => [
      round.app.bulk.change({
        devices: { facility: 'North' },
        set: { labels: { round: String(round.round) } },
        isDryRun: false,
        nowMs: atMs(round),
      }),
    ],
    register: (round) => [round.app.bulk.register(registration(round))],
  },
  foresight: EVERY_FORESIGHT_WRITE,
  shifts: EVERY_SHIFT_WRITE,
  reports: EVERY_REPORT_WRITE,
  views: EVERY_VIEW_WRITE,
  bridges: EVERY_BRIDGE_WRITE,
  alarmHelp: EVERY_ALARM_HELP_WRITE,
  devices: {
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
  },
  telemetry: {
    append,
    expire: (round) => [
      round.app.telemetry.expire({
        rawBeforeMs: atMs(round) - PAST_MS + DAY_MS,
        fiveMinutesBeforeMs: atMs(round) - PAST_MS + DAY_MS,
        rowsMax: LIMIT,
      }),
    ],
    compress: (round) => [
      round.app.telemetry.compress({ beforeMs: atMs(round) }),
      round.app.telemetry.compress({ beforeMs: atMs(round) }),
    ],
    compressHistory: (round) => [
      round.app.telemetry.compressHistory({ beforeMs: atMs(round) }),
      round.app.telemetry.compressHistory({ beforeMs: atMs(round) }),
    ],
  },
  configuration: {
    change: (round) => [
      ...ofEach(round.silos, (deviceNo) => {
        const thresholds = { low_level: 20 + (round.round % 5) };
        return round.app.configuration.change(deviceNo, { thresholds }, atMs(round));
      }),
      ...ofEach(round.rovers, (deviceNo) => {
        const thresholds = { low_battery: 25 + (round.round % 5) };
        return round.app.configuration.change(deviceNo, { thresholds }, atMs(round));
      }),
    ],
  },
  keys: {
    create: (round) => [
      round.app.keys.create({
        ...secret(`${keyId(round)}_${round.node}`, atMs(round)),
        name: 'key',
        kind: 'service',
        grants: [grantOf(['read'])],
        expiresAtMs: null,
      }),
    ],
    createFirst: (round) => [
      round.app.keys.createFirst({
        ...secret(`${keyId(round)}_${round.node}_first`, atMs(round)),
        name: 'first',
        kind: 'service',
        grants: [grantOf(['admin'])],
        expiresAtMs: null,
      }),
    ],
    createPersonal: (round) => [
      round.app.keys.createPersonal({
        ...secret(`${keyId(round)}_${round.node}_personal`, atMs(round)),
        ownerId: 'per_lasting',
        name: 'key',
        kind: 'service',
        grants: [grantOf(['read'])],
        // Keys of the previous rounds are still valid, so many that the limit is reached.
        expiresAtMs: atMs(round) + 5 * SECOND_MS,
      }),
    ],
    assign: (round) => [round.app.keys.assign(`key_${round.round - 1}_0`, 'per_lasting', atMs(round))],
    revoke: ({ app, round }) => [app.keys.revoke('key_shared', NOW_MS + round)],
    rotate: (round) => [
      round.app.keys.rotate(
        'key_lasting',
        secret(`${keyId(round)}_${round.node}_rotated`, atMs(round)),
        atMs(round) + DAY_MS,
      ),
    ],
    preset: (round) => [
      round.app.keys.preset({
        ...secret(`${keyId(round)}_${round.node}_preset`, atMs(round)),
        name: 'preset',
        kind: 'service',
        grants: [grantOf(['admin'])],
        expiresAtMs: null,
      }),
    ],
    recordUse: (round) => [round.app.keys.recordUse('key_lasting', atMs(round))],
  },
  session: EVERY_SESSION_WRITE,
  alerts: {
    expire: (round) => [round.app.alerts.expire({ beforeMs: atMs(round), rowsMax: LIMIT })],
    beginObservation: (round) => [round.app.alerts.beginObservation(NOW_MS - DAY_MS)],
    continueObservation: ({ app }) => [
      app.alerts.continueObservation({ nowMs: NOW_MS - DAY_MS, gapMs: SECOND_MS, isReceiving: true }),
    ],
    evaluate: (round) =>
      [[...round.silos, ...round.rovers], [...round.rovers, ...round.silos].toReversed()].map((deviceNos) =>
        round.app.alerts.evaluate({ deviceNos, nowMs: atMs(round) }),
      ),
    evaluateDue: (round) => [round.app.alerts.evaluateDue({ nowMs: atMs(round), limit: LIMIT })],
    acknowledge: (round) =>
      round.alerts.map((address) =>
        round.app.alerts.acknowledge({ ...address, nowMs: atMs(round), by: { acknowledged_by: 'Ada' } }),
      ),
    acknowledgeMany: (round) =>
      [round.alerts, round.alerts.toReversed()].map((alerts) =>
        round.app.alerts.acknowledgeMany({
          alertIds: alerts.map(({ alertId }) => alertId),
          by: { acknowledged_by: 'Ada' },
          nowMs: atMs(round),
        }),
      ),
    shelve: (round) =>
      round.alerts.map((address) => {
        const shelving = { until: toIso(atMs(round) + DAY_MS), reason: 'known' };
        return round.app.alerts.shelve({ ...address, nowMs: atMs(round), shelving });
      }),
    unshelve: (round) =>
      round.alerts.map((address) => round.app.alerts.unshelve({ ...address, nowMs: atMs(round) })),
  },
  events: {
    number: ({ app }) => [app.numberEvents()],
    expire: (round) => [round.app.events.expire({ beforeMs: atMs(round) - 5 * SECOND_MS, rowsMax: LIMIT })],
  },
  idempotency: {
    expire: (round) => [
      round.app.idempotency.expire({ beforeMs: atMs(round) - 5 * SECOND_MS, rowsMax: LIMIT }),
    ],
  },
  fleet: {},
  exports: {},
  notifications: EVERY_NOTIFICATION_WRITE,
  audit: {
    refused: (round) => {
      const refusals = [...round.silos, ...round.rovers].map((deviceNo) => ({
        attempt: attemptOf(`refused-${deviceNo}`, round),
        code: 'device_offline' as const,
        count: 1,
      }));
      return [round.app.audit.refused(refusals), round.app.audit.refused(refusals.toReversed())];
    },
    expire: (round) => [round.app.audit.expire({ beforeMs: atMs(round) - 5 * SECOND_MS, rowsMax: LIMIT })],
  },
  people: {
    invite: (round) => [
      round.app.people.invite(
        {
          keyId: `per_${round.round}_${round.node}`,
          login: `ada-${round.round}`,
          name: 'Ada',
          email: null,
          grants: [grantOf(['read'])],
          createdAtMs: atMs(round),
        },
        inviteCode(`per_${round.round}_${round.node}`, round),
      ),
    ],
    change: (round) => [round.app.people.change('per_shared', { grants: [grantOf(['read'])] })],
    addPasskey: (round) => [
      round.app.people.addPasskey(
        {
          credentialId: `passkey ${round.round} ${round.node}`,
          keyId: 'per_lasting',
          name: 'phone',
          rpId: 'farm.example',
          publicKey: 'key',
          signCount: 0,
          createdAtMs: atMs(round),
          lastUsedAtMs: null,
        },
        {
          challenge: {
            hash: `new ${round.round} ${round.node}`,
            expiresAtMs: atMs(round) + SECOND_MS,
          },
          sessionHash: SESSION_OF_LASTING,
        },
      ),
    ],
    removePasskey: (round) => [
      round.app.people.removePasskey(LASTING, `passkey ${round.round - 1} ${round.node}`),
    ],
    changeSecondFactor: (round) => [
      round.app.people.changeSecondFactor(LASTING, {
        secret: 'A'.repeat(32),
        lastStep: round.round,
        recoveryHashes: [`recovery ${round.round}`],
      }),
    ],
    renew: (round) => [round.app.people.renew('per_shared', inviteCode('per_shared', round))],
    disable: (round) => [round.app.people.disable('per_shared', atMs(round))],
    unlink: (round) => [round.app.people.unlink('per_shared')],
    unlinkOwn: (round) => [round.app.people.unlinkOwn({ personId: 'per_shared', sessionHash: 'none' })],
  },
  signOn: {
    putPolicy: (round) => {
      const groups = [{ group: 'operators', role: 'operator' as const }];
      return [
        round.app.signOn.putPolicy({
          groups,
          session_hours: 1 + (round.round % 9),
          reconfirm: [],
          second_factor_for: 'nobody',
        }),
      ];
    },
    use: (round) => [round.app.signOn.use(`state ${round.round}`, atMs(round) + 3 * SECOND_MS)],
    // The first arrival makes the person; all nodes do this at the same time.
    arrive: (round) =>
      [`subject ${round.round}`, 'subject 0'].map((subject) =>
        round.app.signOn.arrive({
          issuer: ISSUER,
          subject,
          person: { name: 'Grace', email: null, login: 'grace' },
          claimed: { groups: round.round % 3 === 0 ? [] : ['operators'], areLeftOut: false },
          adminGroup: null,
          link: null,
          newKeyId: `per_${subject}_${round.round}_${round.node}`,
          distinction: subject.replace(' ', '-'),
          address: '127.0.0.1',
          nowMs: atMs(round),
        }),
      ),
    noteInvalid: (round) => [
      round.app.signOn.noteInvalid({
        issuer: ISSUER,
        reason: 'expired',
        address: '127.0.0.1',
        nowMs: atMs(round),
      }),
    ],
    logout: (round) => [
      round.app.signOn.logout(
        { issuer: ISSUER, subject: 'subject 0', sid: null },
        { hash: `logout ${round.round}`, expiresAtMs: atMs(round) + 3 * SECOND_MS },
      ),
    ],
  },
  confirmations: {
    create: (round) =>
      checkedPins(round).map((checked, index) =>
        round.app.confirmations.create(
          {
            hash: `confirmation ${round.round} ${round.node} ${index}`,
            keyId: 'per_shared',
            digest: 'd',
            confirmedBy: { key_id: 'per_lasting', name: 'Ada' },
            expiresAtMs: atMs(round) + SECOND_MS,
          },
          { deviceId: 'silo', facility: 'North' },
          checked,
          atMs(round),
        ),
      ),
  },
  guesses: {
    takePin: (round) => [round.app.guesses.takePin(AT_TERMINAL, atMs(round))],
    takeCode: (round) => [round.app.guesses.takeCode(AT_TERMINAL, atMs(round))],
    wrong: (round) => [
      round.app.guesses.wrong(
        { ...AT_TERMINAL, kind: 'pin' },
        { nowMs: atMs(round), canSendMail: round.node === 0 },
      ),
    ],
    mistyped: (round) => [round.app.guesses.mistyped(AT_TERMINAL)],
    recognised: (round) => [
      round.app.guesses.recognised(AT_TERMINAL, { isWhole: round.node === 0, nowMs: atMs(round) }),
    ],
  },
  terminals: {
    enrol: (round) => [
      round.app.terminals.enrol(
        { ...TERMINAL, keyId: `trm_${round.round}_${round.node}`, createdAtMs: atMs(round) },
        inviteCode(`trm_${round.round}_${round.node}`, round),
      ),
    ],
    end: (round) => [round.app.terminals.end(`trm_${round.round - 1}_0`, atMs(round))],
    setPerson: (round) =>
      checkedPins(round).map((checked) =>
        round.app.terminals.setPerson(`session ${round.round - 1} 0`, PERSON_UNTIL, checked, atMs(round)),
      ),
    lock: (round) => [round.app.terminals.lock(`session ${round.round - 1} 0`)],
    stay: (round) => [round.app.terminals.stay(`session ${round.round - 1} 0`, PERSON_UNTIL)],
    setPin: (round) => [round.app.terminals.setPin(LASTING, `pin ${round.round}`)],
  },
  plants: {
    create: (round) => [
      round.app.plants.create({ id: `${round.round}`, name: 'Fern', tag: null, nowMs: atMs(round) }),
    ],
  },
  webhooks: EVERY_WEBHOOK_WRITE,
};

const ISSUER = 'https://id.example';
const TERMINAL = { kind: 'terminal' as const, name: 'Mill', grants: [grantOf(['read', 'stop'], ['north'])] };
const LASTING = { personId: 'per_lasting', sessionHash: SESSION_OF_LASTING };
const AT_TERMINAL = { place: 'trm_shared', personId: 'per_shared' };
/** The former and the new PIN of the person who gets another PIN in each round. */
const checkedPins = ({ round }: WriteRound) =>
  [round - 1, round].map((number) => ({ kind: 'pin' as const, stored: `pin ${number}`, factor: null }));
const PERSON_UNTIL = { personId: 'per_lasting', untilMs: NOW_MS };

const inviteCode = (keyId: string, round: WriteRound) => ({
  hash: `invite ${keyId} ${round.round} ${round.node}`,
  keyId,
  createdAtMs: atMs(round),
  expiresAtMs: atMs(round) + DAY_MS,
});

type WritesByName = Readonly<Record<string, (round: WriteRound) => readonly Promise<unknown>[]>>;

export interface Outcome {
  readonly write: string;
  readonly error: unknown;
}

/** Does every write once, all of them at the same time. */
export async function outcomesOf(round: WriteRound): Promise<Outcome[]> {
  const outcomes: Promise<Outcome>[] = [];
  for (const [slice, writes] of Object.entries<WritesByName>(EVERY_WRITE)) {
    for (const [name, write] of Object.entries(writes)) {
      for (const one of write(round)) {
        const outcome = (error: unknown): Outcome => ({ write: `${slice}.${name}`, error });
        outcomes.push(one.then(() => outcome(null), outcome));
      }
    }
  }
  return await Promise.all(outcomes);
}

async function lowSilo(app: App): Promise<WriteRound['alerts'][number]> {
  const deviceNo = await readySilo(app);
  await weigh(app, deviceNo, 100, NOW_MS + 1);
  await app.alerts.evaluate({ deviceNos: [deviceNo], nowMs: NOW_MS + 1 });
  const page = { deviceNo, filter: 'open', beforeAlertId: null, limit: 1 } as const;
  const [alert] = await app.alerts.list(page);
  assert(alert !== undefined);
  return { deviceNo, alertId: alert.alertId };
}

/** The rows that all rounds of a store share. */
export async function prepareRounds(app: App): Promise<Pick<WriteRound, 'silos' | 'rovers' | 'alerts'>> {
  const alerts = [await lowSilo(app), await lowSilo(app)];
  const silos = [await readySilo(app), ...alerts.map(({ deviceNo }) => deviceNo)];
  const rovers = [await readyFieldDevice(app), await readyFieldDevice(app)];
  for (const keyId of ['key_shared', 'key_lasting']) {
    const rights = { kind: 'service' as const, grants: [grantOf(['read'])], expiresAtMs: null };
    await app.keys.create({ keyId, hash: keyId, name: keyId, createdAtMs: NOW_MS, ...rights });
  }
  await app.keys.create({
    keyId: 'key_bridge',
    hash: 'key_bridge',
    name: 'bridge',
    createdAtMs: NOW_MS,
    kind: 'service',
    grants: [grantOf(['ingest'])],
    expiresAtMs: null,
  });
  const person = {
    keyId: 'per_shared',
    login: 'shared',
    name: 'Ada',
    email: null,
    grants: [grantOf(['read'])],
  };
  const code = {
    hash: 'code of shared',
    keyId: 'per_shared',
    createdAtMs: NOW_MS,
    expiresAtMs: NOW_MS + DAY_MS,
  };
  await app.people.invite({ ...person, createdAtMs: NOW_MS }, code);
  // This person confirms requests of others.
  const grants = [grantOf(['read', 'operate'])];
  const lasting = { ...person, keyId: 'per_lasting', login: 'lasting', grants, createdAtMs: NOW_MS };
  await app.people.invite(lasting, { ...code, hash: 'code of lasting', keyId: 'per_lasting' });
  await app.session.create({
    keyId: 'per_lasting',
    hash: SESSION_OF_LASTING,
    codeHash: null,
    formerHash: null,
    nowMs: NOW_MS,
  });
  return { silos, rovers, alerts };
}
