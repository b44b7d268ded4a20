import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NOTICE_KINDS } from '@granary/contract/notifications';
import { sentence } from '@granary/contract/sentences/codes';
import { messageOf as messageFieldsOf } from '@granary/contract/sentences/english';
import { DAY_MS, toIso } from '@granary/contract/time';
import { faultsOfSentence } from '@granary/testing/contract/sentences';
import { ruleWith, shownAlert } from '@granary/testing/core/notifications';
import fc from 'fast-check';
import { ALERTS_TOLD_MAX, type MessageContext, messageOf, type ToldAlert, testMessage } from './message.ts';

const NOW_MS = Date.parse('2026-06-15T12:12:00Z');

const context = (fields: Partial<MessageContext> = {}): MessageContext => ({
  rule: {
    ruleId: 'nr_1',
    ownerId: null,
    createdAtMs: 0,
    updatedAtMs: 0,
    content: ruleWith({ quiet_hours: { from: '22:00', to: '06:00', time_zone: 'Asia/Tokyo' } }),
  },
  step: 0,
  consoleUrl: 'https://farm.example',
  timeZone: 'America/Winnipeg',
  nowMs: NOW_MS,
  ...fields,
});

const told = (fields: Partial<ToldAlert> = {}): ToldAlert => ({
  kind: 'raised',
  alert: shownAlert(),
  deviceId: 'silo-07',
  deviceName: 'Silo 7',
  facility: 'north',
  zone: 'yard',
  timeZone: 'Europe/Berlin',
  ...fields,
});

test('one alert: what, where, since when in local time, and a link to it', () => {
  const { subject, text, alerts, alertCount } = messageOf([told()], context());
  assert.equal(subject, 'Warning: Silo 7 (north, yard): Level is 12.0 %, at or below the limit of 20 %');
  assert.equal(
    text,
    `Warning: Silo 7 (north, yard): Level is 12.0 %, at or below the limit of 20 %
  Device: Silo 7 (silo-07)
  Place: north, yard
  Since: 2026-06-15 14:00 (Europe/Berlin), 12 minutes ago
  State: present, not acknowledged
  Open it: https://farm.example/#/alerts?device=silo-07

Acknowledge it there, so that others know that you see to it.

You get this because of the notification rule Night shift.
`,
  );
  assert.deepEqual(alerts, [{ alert_id: 'al_1', device_id: 'silo-07', kind: 'raised' }]);
  assert.equal(alertCount, 1);
});

test('an alert about an operation, a mission or a command leads to it', () => {
  const addresses = {
    operation: 'devices/silo-07?tab=operations&operation=',
    mission: 'map?device=silo-07&mission=',
    command: 'operations/commands?device=silo-07&command=',
  };
  for (const [kind, address] of Object.entries(addresses)) {
    const alert = shownAlert({ about: { kind: kind as keyof typeof addresses, id: 'x_1' } });
    const { text } = messageOf([told({ alert })], context());
    assert.ok(text.includes(`  About: ${kind} x_1: https://farm.example/#/${address}x_1\n`), text);
    const withoutPage = messageOf([told({ alert })], context({ consoleUrl: null })).text;
    assert.ok(withoutPage.includes(`  About: ${kind} x_1\n`), withoutPage);
  }
});

test('an escalation, an alert that is over, and one that somebody has acknowledged say so', () => {
  const cleared = shownAlert({ status: 'cleared', cleared_at: toIso(NOW_MS - 60_000) });
  const over = messageOf([told({ alert: cleared, kind: 'over' })], context());
  assert.match(over.subject, /^Over: Warning/);
  assert.match(over.text, /Open it: https:\/\/farm\.example\/#\/alerts\?device=silo-07&list=history\n/);
  assert.match(over.text, /State: over since 2026-06-15 14:11 \(Europe\/Berlin\), not acknowledged/);
  const escalated = messageOf([told({ kind: 'not_acknowledged' })], context({ step: 2 }));
  assert.match(escalated.subject, /^Not acknowledged: Warning/);
  assert.match(escalated.text, /the notification rule Night shift, step 2 of its escalation\./);
  const ada = { acknowledged_by: 'Ada', acknowledged_at: toIso(NOW_MS - 60_000) };
  const acknowledged = messageOf(
    [told({ alert: shownAlert({ status: 'acknowledged', ...ada }) })],
    context(),
  );
  assert.match(acknowledged.text, /acknowledged by Ada at 2026-06-15 14:11/);
  assert.doesNotMatch(acknowledged.text, /Acknowledge it/);
});

test('a summary counts the alerts, has the most severe first, and those that are over last', () => {
  const alert = (n: number, fields: object) =>
    told({ deviceId: `silo-${n}`, alert: shownAlert({ alert_id: `al_${n}`, ...fields }) });
  const { subject, text } = messageOf(
    [
      alert(1, { status: 'resolved', severity: 'critical' }),
      alert(2, {}),
      alert(3, { severity: 'critical' }),
    ],
    context(),
  );
  assert.equal(subject, '3 alerts: 1 critical, 1 warning, 1 over');
  const positions = [3, 2, 1].map((n) => text.indexOf(`device=silo-${n}`));
  assert.deepEqual(
    positions,
    positions.toSorted((a, b) => a - b),
  );
  assert.match(text, /\n\nAll alerts: https:\/\/farm\.example\/#\/alerts\n/);
});

test('a summary of very many alerts is cut and says how many are missing', () => {
  const many = Array.from({ length: ALERTS_TOLD_MAX + 7 }, () => told());
  const { text, alerts, alertCount } = messageOf(many, context());
  assert.match(text, /And 7 more\.\n\nAll alerts: https:\/\/farm\.example\/#\/alerts\n/);
  assert.equal(alerts.length, ALERTS_TOLD_MAX);
  assert.equal(alertCount, ALERTS_TOLD_MAX + 7);
});

test('no name can break out of its line, and no subject is long', () => {
  const name = fc.string({ unit: 'binary', maxLength: 400 });
  const nasty = fc.oneof(name, fc.constant('x\r\nBcc: evil@example.com\r\n\r\nhello'));
  fc.assert(
    fc.property(nasty, nasty, nasty, (deviceName, message, by) => {
      const named = sentence('operation_declared_ended', {
        operation: sentence('feed_at_device'),
        why: sentence('device_said', { words: message }),
      });
      const alert = shownAlert({
        ...messageFieldsOf(named),
        acknowledged_by: by,
        acknowledged_at: toIso(NOW_MS - DAY_MS),
      });
      const { subject, text } = messageOf([told({ deviceName, alert })], context());
      assert.doesNotMatch(subject, /[\r\n\0\u2028\u2029]/);
      assert.ok([...subject].length <= 160);
      assert.equal(text.split(/[\r\n\u0085\u2028\u2029]/).length, 9);
    }),
  );
});

test('a name that looks like an encoded word stays as it is', () => {
  const { subject } = messageOf([told({ deviceName: '=?utf-8?q?All_is_well?=' })], context());
  assert.match(subject, /^Warning: = \?utf-8\?q\?All_is_well\?= \(north, yard\): Level/);
});

test('without a page to open, the command that acknowledges is told', () => {
  const { text } = messageOf([told()], context({ consoleUrl: null }));
  assert.match(text, /To acknowledge it, at the command line:\n {2}granary ack al_1\n/);
  assert.doesNotMatch(text, /Open it/);
  const many = messageOf(Array(30).fill(told()), context({ consoleUrl: null }));
  assert.match(many.text, /at the command line:\n {2}granary alerts\n/);
});

test('times are by the clocks of the site, also within the sentence of the alert', () => {
  const silent = sentence('sensors_silent', {
    sensors: [sentence('sensor_silent', { sensor: 'weight', since: '2026-06-15T11:00:00.000Z' })],
  });
  const { subject, text } = messageOf(
    [told({ alert: shownAlert(messageFieldsOf(silent)), timeZone: 'America/Winnipeg' })],
    context(),
  );
  assert.match(subject, /No weight since 2026-06-15 06:00 \(America\/Winnipeg\), although/);
  assert.match(text, /Since: 2026-06-15 07:00 \(America\/Winnipeg\), 12 minutes ago\n/);
  const now = messageOf([told()], context({ nowMs: Date.parse('2026-06-15T12:00:00Z') }));
  assert.match(now.text, /Since: 2026-06-15 14:00 \(Europe\/Berlin\), just now\n/);
});

test('no message has an internal id, a code name or an empty part, apart from the command to copy', () => {
  const alerts = [shownAlert(), shownAlert({ status: 'cleared', cleared_at: toIso(NOW_MS) })];
  for (const consoleUrl of ['https://farm.example', null]) {
    for (const kind of NOTICE_KINDS) {
      const { subject, text } = messageOf(
        alerts.map((alert) => told({ alert, kind })),
        context({ consoleUrl, step: 1 }),
      );
      const lines = [subject, ...text.split('\n')].map((line) => line.trim());
      const sentences = lines.filter((line) => !line.startsWith('granary ack ') && !line.endsWith(':'));
      assert.deepEqual(sentences.flatMap(faultsOfSentence), []);
    }
  }
});

test('a test says that it is one', () => {
  const { subject, text, alertCount } = testMessage(context());
  assert.equal(subject, 'Test of the notification rule Night shift');
  assert.match(text, /This is a test/);
  assert.equal(alertCount, 0);
});
