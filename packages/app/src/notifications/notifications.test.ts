import assert from 'node:assert/strict';
import { before, beforeEach, it } from 'node:test';
import type { NotificationRuleInput } from '@granary/contract/notifications';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, toIso } from '@granary/contract/time';
import { URGENCIES } from '@granary/core/notifications/record';
import { ruleContent } from '@granary/core/notifications/rule';
import { describeEachEngine } from '@granary/testing/app/engines';
import { isRefusal, NOW_MS, newId, readySilo, weigh } from '@granary/testing/app/fixtures';
import type { App } from '../app.ts';
import { ASKED_PER_HOUR_MAX } from './asked-messages.ts';

const OFF_DELAY_MS = 5 * SECOND_MS;
const EVERYTHING = { status: null, ruleId: null, beforeId: null, limit: 1_000 };

describeEachEngine('notifications', (engine) => {
  let app: App;
  let other: App;
  let ruleId = '';
  before(async () => {
    app = await engine.open();
    other = await engine.open();
  });

  /** Removes all rules and messages of earlier tests, so that there is one rule at a time. */
  beforeEach(async () => {
    for (const rule of await app.notifications.listRules({ afterRuleId: null, limit: 1_000 })) {
      await app.notifications.removeRule({ ruleId: rule.ruleId, nowMs: NOW_MS });
    }
    await advance(NOW_MS);
  });

  async function rule(fields: Partial<NotificationRuleInput> = {}): Promise<string> {
    const content = ruleContent({ name: 'Shift', targets: [{ email: 'ada@example.com' }], ...fields });
    ruleId = newId('nr');
    await app.notifications.createRule({ ruleId, content, canSendMail: true, nowMs: NOW_MS });
    return ruleId;
  }

  async function advance(nowMs: number, node = app): Promise<void> {
    while ((await node.notifications.advance({ nowMs, consoleUrl: null, timeZone: 'UTC' })).hasMore);
  }

  async function setLevel(deviceNo: number, weightKg: number, nowMs: number): Promise<void> {
    await weigh(app, deviceNo, weightKg, nowMs);
    await app.alerts.evaluate({ deviceNos: [deviceNo], nowMs });
  }

  /** Creates a silo that has sunk to 15 %, which is below its low level. */
  async function lowSilo(nowMs: number): Promise<{ deviceNo: number; alertId: string }> {
    const deviceNo = await readySilo(app, nowMs - 1);
    await setLevel(deviceNo, 1_500, nowMs);
    return { deviceNo, alertId: await alertOf(deviceNo) };
  }

  async function alertOf(deviceNo: number): Promise<string> {
    const page = { deviceNo, filter: 'open', beforeAlertId: null, limit: 1 } as const;
    return (await app.alerts.list(page))[0]?.alertId ?? '';
  }

  const acknowledge = (address: { deviceNo: number; alertId: string }, nowMs: number) =>
    app.alerts.acknowledge({ ...address, nowMs, by: { acknowledged_by: 'Ada' } });

  /** Returns the messages that were written for the rule, oldest first. */
  const written = async (): Promise<string[]> =>
    (await app.notifications.list({ ...EVERYTHING, ruleId }))
      .map(({ step, content: { alerts, alertCount } }) => {
        const kinds = new Set(alerts.map(({ kind }) => kind));
        return `${step}: ${[...kinds].sort().join('+')}${alertCount > 1 ? ` × ${alertCount}` : ''}`;
      })
      .reverse();

  it('tells each target once that an alert was raised, also when two nodes read the log, and that it is over', async () => {
    await rule({ targets: [{ email: 'ada@example.com' }, { email: 'bob@example.com' }] });
    const { deviceNo } = await lowSilo(NOW_MS);
    await Promise.all([advance(NOW_MS), advance(NOW_MS, other), advance(NOW_MS), advance(NOW_MS, other)]);
    await advance(NOW_MS);
    assert.deepEqual(await written(), ['0: raised', '0: raised']);
    await setLevel(deviceNo, 5_000, NOW_MS + 1);
    await setLevel(deviceNo, 5_000, NOW_MS + 1 + OFF_DELAY_MS);
    await advance(NOW_MS + MINUTE_MS);
    assert.deepEqual((await written()).slice(2), ['0: over', '0: over']);
  });

  it('decides in its turn while others change rules at once', async () => {
    const content = ruleContent({ name: 'Another', targets: [{ email: 'eve@example.com' }], enabled: false });
    const changed = { ruleId: await rule(), content, canSendMail: true, nowMs: NOW_MS };
    await rule();
    for (let told = 1; told <= 5; told++) {
      await lowSilo(NOW_MS);
      const changes = Array.from({ length: 20 }, () => other.notifications.replaceRule(changed));
      await changes[0];
      await app.notifications.advance({ nowMs: NOW_MS, consoleUrl: null, timeZone: 'UTC' });
      assert.equal((await written()).length, told);
      await Promise.all(changes);
    }
  });

  it('tells times by the clocks of the site, whatever those of the quiet hours and of the service are', async () => {
    await rule({ quiet_hours: { from: '03:00', to: '03:01', time_zone: 'Asia/Tokyo' } });
    const name = (deviceNo: number, zone: string) =>
      engine.query(`UPDATE configurations SET time_zone = '${zone}' WHERE device_no = ${deviceNo}`);
    const since = async (): Promise<string | undefined> => {
      const [latest] = await app.notifications.list({ ...EVERYTHING, ruleId });
      return /Since: (.*),/.exec(latest?.content.text ?? '')?.[1];
    };
    const raisedBy = async (zone?: string) => {
      const deviceNo = await readySilo(app, NOW_MS - 1);
      if (zone !== undefined) await name(deviceNo, zone);
      await setLevel(deviceNo, 1_500, NOW_MS);
      await advance(NOW_MS);
    };
    const localIn = (timeZone: string) =>
      `${new Date(NOW_MS).toLocaleString('sv-SE', { timeZone }).slice(0, 16)} (${timeZone})`;
    await raisedBy('America/Chicago');
    assert.equal(await since(), localIn('America/Chicago'));
    await raisedBy();
    assert.equal(await since(), localIn('America/Chicago'), 'of the facility, which the other silo names');
    await raisedBy('Europe/Berlin');
    assert.equal(await since(), localIn('Europe/Berlin'));
    await raisedBy();
    assert.equal(await since(), localIn('UTC'), 'of the service, where the silos do not agree');
    await engine.query('UPDATE configurations SET time_zone = NULL');
  });

  it('makes one summary of a flood', async () => {
    await rule({ summary: { at_once_max: 2, window_seconds: 60 } });
    for (let i = 0; i < 6; i++) await lowSilo(NOW_MS + i);
    await advance(NOW_MS + 10);
    assert.deepEqual(await written(), ['0: raised', '0: raised']);
    await advance(NOW_MS + 10 + MINUTE_MS);
    assert.deepEqual(await written(), ['0: raised', '0: raised', '0: raised × 4']);
    const [summary] = await app.notifications.list({ ...EVERYTHING, ruleId });
    assert.equal(summary?.content.subject, '4 alerts: 4 warning');
  });

  it('tells a critical alert immediately, also in the middle of a flood of warnings', async () => {
    await rule({ summary: { at_once_max: 1, window_seconds: 3_600 } });
    for (let i = 0; i < 3; i++) await lowSilo(NOW_MS + i);
    const { deviceNo } = await lowSilo(NOW_MS + 3);
    await advance(NOW_MS + 10);
    assert.deepEqual(await written(), ['0: raised']);
    await setLevel(deviceNo, 400, NOW_MS + 20);
    await advance(NOW_MS + 20);
    const [latest] = await app.notifications.list({ ...EVERYTHING, ruleId });
    assert.deepEqual(await written(), ['0: raised', '0: raised']);
    assert.match(latest?.content.subject ?? '', /^Critical/);
  });

  it('holds warnings in quiet hours and tells them together, with what is over by then', async () => {
    // The quiet hours began an hour ago and end in an hour.
    const timeOfDay = (ms: number): string => toIso(ms).slice(11, 16);
    const quiet = { from: timeOfDay(NOW_MS - HOUR_MS), to: timeOfDay(NOW_MS + HOUR_MS), time_zone: 'UTC' };
    await rule({ quiet_hours: quiet });
    const first = await lowSilo(NOW_MS);
    await lowSilo(NOW_MS + 1);
    const third = await lowSilo(NOW_MS + 2);
    await advance(NOW_MS + 3);
    assert.deepEqual(await written(), []);
    await setLevel(first.deviceNo, 5_000, NOW_MS + 10);
    await setLevel(first.deviceNo, 5_000, NOW_MS + 10 + OFF_DELAY_MS);
    await setLevel(third.deviceNo, 400, NOW_MS + 10 + OFF_DELAY_MS);
    await advance(NOW_MS + MINUTE_MS);
    assert.deepEqual(await written(), ['0: raised'], 'the critical one does not wait');
    await advance(NOW_MS + HOUR_MS);
    assert.deepEqual(await written(), ['0: raised', '0: raised × 3']);
    const [summary] = await app.notifications.list({ ...EVERYTHING, ruleId });
    assert.equal(summary?.content.subject, '3 alerts: 2 warning, 1 over');
  });

  const ESCALATION = [
    { after_minutes: 10, targets: [{ email: 'boss@example.com' }] },
    { after_minutes: 20, targets: [{ email: 'owner@example.com' }] },
  ];

  it('escalates once per step what nobody has acknowledged, also when nobody looked for a while', async () => {
    await rule({ escalation: ESCALATION, match: { types: ['low_level'] } });
    const alert = await lowSilo(NOW_MS);
    await advance(NOW_MS);
    await advance(NOW_MS + 9 * MINUTE_MS);
    assert.deepEqual(await written(), ['0: raised']);
    await advance(NOW_MS + 11 * MINUTE_MS);
    await advance(NOW_MS + 12 * MINUTE_MS, other);
    assert.deepEqual(await written(), ['0: raised', '1: not_acknowledged']);
    await acknowledge(alert, NOW_MS + 15 * MINUTE_MS);
    await advance(NOW_MS + HOUR_MS);
    assert.deepEqual(await written(), ['0: raised', '1: not_acknowledged']);
  });

  it('escalates also an alert that cannot be read, as it was when it was raised', async () => {
    await rule({ escalation: ESCALATION, match: { types: ['low_level'] } });
    const { alertId } = await lowSilo(NOW_MS);
    await advance(NOW_MS);
    await engine.query(`UPDATE alerts SET body = '{' WHERE alert_id = '${alertId}'`);
    await advance(NOW_MS + 10 * MINUTE_MS);
    assert.deepEqual(await written(), ['0: raised', '1: not_acknowledged']);
    await engine.query(`DELETE FROM alerts WHERE alert_id = '${alertId}'`);
    await advance(NOW_MS + HOUR_MS);
    assert.equal((await written()).length, 2);
  });

  it('does not escalate an alert that was acknowledged or shelved before anybody read the log', async () => {
    await rule({ escalation: ESCALATION });
    const alert = await lowSilo(NOW_MS);
    const shelved = await lowSilo(NOW_MS);
    await acknowledge(alert, NOW_MS + MINUTE_MS);
    const shelving = { until: toIso(NOW_MS + DAY_MS), reason: 'known' };
    await app.alerts.shelve({ ...shelved, shelving, nowMs: NOW_MS + MINUTE_MS });
    await advance(NOW_MS + HOUR_MS);
    assert.deepEqual(await written(), ['0: raised', '0: raised']);
  });

  it('tells nothing of a rule that is switched off, and cancels what a removed rule has not sent', async () => {
    const id = await rule();
    const content = ruleContent({ name: 'Shift', targets: [{ email: 'ada@example.com' }], enabled: false });
    await lowSilo(NOW_MS);
    await advance(NOW_MS);
    await app.notifications.replaceRule({ ruleId: id, content, canSendMail: true, nowMs: NOW_MS });
    await lowSilo(NOW_MS);
    await advance(NOW_MS);
    assert.deepEqual(await written(), ['0: raised']);
    await app.notifications.removeRule({ ruleId: id, nowMs: NOW_MS });
    const [cancelled] = await app.notifications.list({ ...EVERYTHING, ruleId: id });
    assert.deepEqual([cancelled?.status, cancelled?.nextAttemptAtMs], ['cancelled', null]);
    await assert.rejects(app.notifications.findRule(id), isRefusal('notification_rule_not_found'));
  });

  it('refuses targets that nothing can be sent to', async () => {
    const content = ruleContent({
      name: 'x',
      targets: [{ email: 'a@example.com' }],
      escalation: [{ after_minutes: 1, targets: [{ webhook_id: 'wh_none' }] }],
    });
    const change = { ruleId: newId('nr'), content, nowMs: NOW_MS };
    await assert.rejects(
      app.notifications.createRule({ ...change, canSendMail: false }),
      isRefusal('notification_target_unusable'),
    );
    await assert.rejects(
      app.notifications.createRule({ ...change, canSendMail: true }),
      /there is no webhook "wh_none"/,
    );
    assert.equal((await app.notifications.listRules({ afterRuleId: null, limit: 10 })).length, 0);
  });

  it('tells the people of a rota in turns until somebody acknowledges, on any node', async () => {
    const people = ['Ada', 'Bob'].map((name) => ({ name, keyId: newId('per') }));
    for (const { keyId, name } of people) {
      const code = { hash: newId('hash'), keyId, createdAtMs: NOW_MS, expiresAtMs: NOW_MS + 1 };
      const grants = [
        { role: 'viewer' as const, scopes: ['read' as const], facilities: null, deviceIds: null },
      ];
      const person = { keyId, login: keyId, name, email: `${name}@example.com`, grants, createdAtMs: NOW_MS };
      await app.people.invite(person, code);
    }
    const rota = { people: people.map(({ keyId }) => keyId), minutes: 10 };
    await rule({ targets: [], match: { types: ['low_level'] }, rota });
    const silo = await lowSilo(NOW_MS);
    const told = async (): Promise<string[]> =>
      (await app.notifications.list({ ...EVERYTHING, ruleId }))
        .map(({ step, content: { target } }) => `${step} ${'email' in target ? target.email : ''}`)
        .reverse();
    await Promise.all([advance(NOW_MS), advance(NOW_MS, other)]);
    await advance(NOW_MS);
    assert.deepEqual(await told(), ['1 Ada@example.com']);
    await advance(NOW_MS + 10 * MINUTE_MS - 1);
    await advance(NOW_MS + 10 * MINUTE_MS, other);
    await advance(NOW_MS + 20 * MINUTE_MS);
    await advance(NOW_MS + 30 * MINUTE_MS, other);
    const rounds = ['1 Ada@example.com', '2 Bob@example.com', '1 Ada@example.com', '2 Bob@example.com'];
    assert.deepEqual(await told(), rounds);
    await acknowledge(silo, NOW_MS + 31 * MINUTE_MS);
    await advance(NOW_MS + 31 * MINUTE_MS);
    await advance(NOW_MS + 120 * MINUTE_MS);
    assert.deepEqual(await told(), rounds);
    const after = await app.people.disable(people[0]?.keyId ?? '', NOW_MS + 120 * MINUTE_MS);
    assert.equal(after.keyId, people[0]?.keyId);
    await lowSilo(NOW_MS + 121 * MINUTE_MS);
    await advance(NOW_MS + 121 * MINUTE_MS);
    const [last] = await app.notifications.list({ ...EVERYTHING, ruleId });
    assert.deepEqual([last?.status, last?.lastError], ['failed', 'the person is disabled']);
  });

  const claim = async (nowMs: number, node = app) => {
    const due = {
      channel: 'email' as const,
      nowMs,
      leasedUntilMs: nowMs + MINUTE_MS,
      limit: 1_000,
      withoutRules: [],
    };
    const taken = URGENCIES.map((urgency) => node.notifications.claim({ ...due, urgency }));
    return (await Promise.all(taken)).flat();
  };
  const ofRule = async (taken: ReturnType<typeof claim>) =>
    (await taken).filter((one) => one.ruleId === ruleId);

  it('gives each message to one node, and again when the node did not finish', async () => {
    await rule({ targets: [1, 2, 3].map((n) => ({ email: `a${n}@example.com` })) });
    await lowSilo(NOW_MS);
    await advance(NOW_MS);
    const both = await Promise.all([ofRule(claim(NOW_MS)), ofRule(claim(NOW_MS, other))]);
    assert.equal(both.flat().length, 3);
    assert.equal((await ofRule(claim(NOW_MS + MINUTE_MS - 1))).length, 0);
    const again = await ofRule(claim(NOW_MS + MINUTE_MS));
    assert.deepEqual(
      again.map(({ attempts }) => attempts),
      [2, 2, 2],
    );
  });

  it('leaves a message to the node that renews its lease, and no lease to a node that has lost it', async () => {
    await rule({ targets: [{ email: 'renewed@example.com' }] });
    await lowSilo(NOW_MS);
    await advance(NOW_MS);
    const [taken] = await ofRule(claim(NOW_MS));
    assert(taken !== undefined);
    const { notificationId } = taken;
    const [firstMs, secondMs] = [NOW_MS + MINUTE_MS, NOW_MS + 2 * MINUTE_MS];
    const renew = (fromMs: number, toMs: number) =>
      other.notifications.renew({ notificationId, fromMs, toMs });
    assert.equal(await renew(firstMs, secondMs), true);
    assert.equal(await renew(firstMs, secondMs + MINUTE_MS), false);
    assert.equal((await ofRule(claim(secondMs - 1))).length, 0);
    assert.equal((await ofRule(claim(secondMs))).length, 1);
    const nowMs = secondMs;
    await app.notifications.recordAttempt({ notificationId, outcome: { isSent: true }, nowMs });
    assert.equal(await renew(secondMs + MINUTE_MS, secondMs + HOUR_MS), false);
  });

  const test = (id: string, nowMs = NOW_MS) =>
    app.notifications.test({ ruleId: id, canSendMail: true, consoleUrl: null, timeZone: 'UTC', nowMs });

  it('sends one test in a millisecond, and 20 in an hour, however soon each is sent', async () => {
    const id = await rule();
    const send = async (nowMs: number): Promise<void> => {
      await test(id, nowMs);
      const [taken] = await ofRule(claim(nowMs));
      const notificationId = taken?.notificationId ?? '';
      await app.notifications.recordAttempt({ notificationId, outcome: { isSent: true }, nowMs });
    };
    for (let count = 0; count < ASKED_PER_HOUR_MAX; count++) {
      await send(NOW_MS + count);
      await assert.rejects(send(NOW_MS + count), isRefusal('rate_limited'));
    }
    await assert.rejects(send(NOW_MS + HOUR_MS - 1), isRefusal('rate_limited'));
    await send(NOW_MS + HOUR_MS);
  });

  it('tries for a day, then the message has failed and an event says so', async () => {
    const id = await rule();
    await test(id);
    const outcome = { isSent: false, error: 'the server is away', isPermanent: false } as const;
    let nowMs = NOW_MS;
    let attempts = 0;
    for (;;) {
      const [taken] = await ofRule(claim(nowMs));
      assert(taken !== undefined);
      const { notificationId } = taken;
      const after = await app.notifications.recordAttempt({ notificationId, outcome, nowMs });
      attempts++;
      if (after?.status === 'failed') break;
      assert(after?.status === 'pending' && after.lastError === 'the server is away');
      nowMs = after.nextAttemptAtMs ?? 0;
    }
    assert.ok(attempts > 20 && nowMs - NOW_MS > 22 * HOUR_MS && nowMs - NOW_MS < DAY_MS);
    const { newest } = await app.events.bounds();
    const [event] = await app.events.after({ sequence: newest - 1, limit: 1 });
    assert.deepEqual([event?.type, event?.data['last_error']], ['notification.failed', 'the server is away']);
  });

  it('fails at once when another attempt would fail, too; a recorded success is final', async () => {
    const id = await rule({ targets: [{ email: 'a@example.com' }, { email: 'b@example.com' }] });
    await test(id);
    const [first, second] = await ofRule(claim(NOW_MS));
    assert(first !== undefined && second !== undefined);
    const permanent = { isSent: false, error: 'no such user', isPermanent: true } as const;
    const record = (notificationId: string, outcome: typeof permanent | { isSent: true }) =>
      app.notifications.recordAttempt({ notificationId, outcome, nowMs: NOW_MS + 1 });
    assert.equal((await record(first.notificationId, permanent))?.status, 'failed');
    assert.equal((await record(second.notificationId, { isSent: true }))?.status, 'sent');
    assert.equal(await record(second.notificationId, permanent), undefined);
    assert.equal((await app.notifications.list({ ...EVERYTHING, ruleId, status: 'sent' })).length, 1);
  });

  it('removes what is old and finished', async () => {
    await rule();
    await lowSilo(NOW_MS);
    await advance(NOW_MS);
    const [taken] = await ofRule(claim(NOW_MS));
    assert(taken !== undefined);
    const expire = () => app.notifications.expire({ beforeMs: NOW_MS + DAY_MS, rowsMax: 1_000 });
    await expire();
    assert.equal((await written()).length, 1, 'it is still pending');
    const { notificationId } = taken;
    await app.notifications.recordAttempt({ notificationId, outcome: { isSent: true }, nowMs: NOW_MS });
    assert.ok((await expire()) > 0);
    assert.equal((await written()).length, 0);
  });

  it('sets a damaged rule or notice aside, and the others go on', async () => {
    await rule();
    await lowSilo(NOW_MS);
    await engine.query(
      `INSERT INTO notification_notices (rule_id, alert_id, step, due_at_ms, changed_at_ms, body)
       VALUES ('nr_x', 'al_x', 0, ${NOW_MS}, ${NOW_MS}, '{"v": 99}')`,
    );
    await engine.query(
      `INSERT INTO notification_rules (rule_id, created_at_ms, updated_at_ms, body, windows)
       VALUES ('nr_damaged', 0, 0, '{"v": 99}', '{}')`,
    );
    const { setAside } = await app.notifications.advance({
      nowMs: NOW_MS,
      consoleUrl: null,
      timeZone: 'UTC',
    });
    assert.deepEqual(
      setAside.map(({ kind, id }) => `${kind} ${id}`),
      ['notification rule nr_damaged', 'notice nr_x al_x 0'],
    );
    assert.deepEqual(await written(), ['0: raised']);
    const next = await app.notifications.advance({ nowMs: NOW_MS, consoleUrl: null, timeZone: 'UTC' });
    assert.deepEqual(
      next.setAside.map(({ kind }) => kind),
      ['notification rule'],
    );
    await engine.query(`DELETE FROM notification_rules WHERE rule_id = 'nr_damaged'`);
  });
});
