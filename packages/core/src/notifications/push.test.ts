import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shownAlert } from '@granary/testing/core/notifications';
import { grantOf, limitsWith, UNLIMITED } from '../keys.ts';
import { isPushService, pushedAlerts, pushPayload } from './push.ts';

const told = (facility: string, deviceName = 'Silo 7') => ({
  kind: 'raised' as const,
  alert: shownAlert({ alert_id: `al_${facility}` }),
  deviceId: 'silo-07',
  deviceName,
  facility,
  zone: '',
  timeZone: 'America/Chicago',
});

test('only push services that browsers have, or that the settings name, are asked', () => {
  const named = ['http://push.farm.example:8080'];
  const isAsked = (endpoint: string): boolean => isPushService(endpoint, named);
  for (const endpoint of [
    'https://fcm.googleapis.com/fcm/send/x',
    'https://jmt17.google.com/fcm/send/x',
    'https://updates.push.services.mozilla.com/wpush/v2/x',
    'https://web.push.apple.com/x',
    'https://db5p.notify.windows.com/w/?token=x',
    'http://push.farm.example:8080/x',
  ])
    assert.equal(isAsked(endpoint), true, endpoint);
  for (const endpoint of [
    'http://fcm.googleapis.com/x',
    'https://fcm.googleapis.com.evil.example/x',
    'https://evil.example/fcm.googleapis.com',
    'https://evilnotify.windows.com/x',
    'https://fcm.googleapis.com@10.0.0.1/x',
    'http://push.farm.example/x',
    'file:///etc/passwd',
    'no address',
  ])
    assert.equal(isAsked(endpoint), false, endpoint);
});

test('a message tells what the person may see at that moment, and never more than a push service takes', () => {
  const pushed = pushedAlerts([told('north'), told('south')]);
  assert.deepEqual([pushed.items[0]?.about, pushed.items[0]?.time_zone], [null, 'America/Chicago']);
  const about = { kind: 'mission' as const, id: 'ms_1' };
  assert.deepEqual(pushedAlerts([{ ...told('north'), alert: shownAlert({ about }) }]).items[0]?.about, about);
  const north = limitsWith({ grants: [grantOf(['read'], ['north'])] }, 'read');
  const seen = JSON.parse(pushPayload(pushed, north, 'ntf_1') ?? '');
  assert.deepEqual([seen.count, seen.items.map(({ id }: { id: string }) => id)], [1, ['al_north']]);
  assert.equal(pushPayload(pushed, limitsWith({ grants: [] }, 'read'), 'ntf_1'), null);
  const long = pushedAlerts(Array.from({ length: 100 }, () => told('𝄞'.repeat(100), '𝄞'.repeat(200))));
  const text = pushPayload(long, UNLIMITED, 'ntf_1') ?? '';
  assert.ok(Buffer.byteLength(text) < 3_900);
  assert.equal(JSON.parse(text).count, 100);
  assert.equal(JSON.parse(pushPayload(pushedAlerts([]), [], 'ntf_1') ?? '').about, 'test');
});
