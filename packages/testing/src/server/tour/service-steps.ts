import { EXAMPLE_PASSWORD as PASSWORD } from '@granary/contract/endpoints/me';
import { SILO, SILOS, shapeOf, type TourClient } from './tour-client.ts';

export async function keys(client: TourClient): Promise<void> {
  const made = await client.step('POST', '/v1/keys', {
    body: { name: 'reader', scopes: ['read'], facilities: ['south'] },
  });
  await client.step('POST', '/v1/keys', { body: { name: '', scopes: ['everything'] } });
  const { key_id: keyId, key: secret } = made.body.data;
  client.key = secret;
  await client.step('GET', SILOS);
  await client.step('GET', SILO);
  await client.step('POST', '/v1/keys', { body: { name: 'x', scopes: ['read'] } });
  client.key = client.address.adminKey;
  await client.step('POST', `/v1/keys/${keyId}/rotate`, { body: { overlap_seconds: 60 } });
  await client.step('POST', `/v1/keys/${keyId}/rotate`, { body: { grace: -1 } });
  await client.step('POST', `/v1/keys/${keyId}/assign`, { body: { person_id: 'per_none' } });
  await client.step('DELETE', `/v1/keys/${keyId}`);
  await client.step('DELETE', '/v1/keys/key_none');
  await client.step('GET', '/v1/keys?limit=2');
  await client.step('GET', '/v1/audit?action=keys.create');
  await client.step('GET', '/v1/audit?action=keys.revoke&limit=1');
  await client.step('GET', '/v1/audit?result=perhaps');
}

export async function people(client: TourClient): Promise<void> {
  const path = '/v1/people';
  const ada = { login: 'ada', name: 'Ada', grants: [{ role: 'operator', facilities: ['north'] }] };
  const invited = (await client.step('POST', path, { body: ada })).body.data;
  const one = `${path}/${invited.person.person_id}`;
  await client.step('POST', path, { body: ada });
  await client.step('POST', path, { body: { login: 'Ada!', name: '', grants: [] } });
  await client.step('POST', path, { body: { ...ada, grants: [{ role: 'site_administrator' }] } });
  await client.step('PATCH', one, { body: { grants: [{ role: 'viewer' }] } });
  await client.step('PATCH', `${path}/per_none`, { body: { name: 'Nobody' } });
  await client.step('GET', path);
  const { code: invite } = (await client.step('POST', `${one}/invite`)).body.data;
  await client.step('GET', '/v1/me');
  client.key = '';
  await client.step('POST', '/v1/session', { body: { invite, password: 'ada ada ada ada 1' } });
  const signedIn = await client.step('POST', '/v1/session', { body: { invite, password: PASSWORD } });
  const cookie = signedIn.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
  const headers = { cookie, 'sec-fetch-site': 'same-origin' };
  await client.step('GET', '/v1/me', { headers });
  const password = 'four geese behind the barn';
  for (const current_password of ['wrong', PASSWORD]) {
    await client.step('PUT', '/v1/me/password', { headers, body: { current_password, password } });
  }
  await client.step('PUT', '/v1/me/pin', { headers, body: { current_password: password, pin: '1234' } });
  await client.step('PUT', '/v1/me/pin', { headers, body: { current_password: password, pin: '4071' } });
  await client.step('DELETE', '/v1/sessions', { headers });
  const key = { name: 'spreadsheet', scopes: ['read', 'operate'] };
  const { key_id: ownKey } = (await client.step('POST', '/v1/me/keys', { headers, body: key })).body.data;
  await client.step('GET', '/v1/me/keys', { headers });
  await client.step('DELETE', `/v1/me/keys/${ownKey}`, { headers });
  await client.step('DELETE', '/v1/me/keys/key_none', { headers });
  const given = { headers, body: { current_password: password } };
  await client.step('PUT', '/v1/me/passkeys/none/removal', given);
  await client.step('PUT', '/v1/me/identities/removal', { headers, body: { current_password: 'wrong' } });
  client.key = client.address.adminKey;
  await client.step('PATCH', one, { body: { grants: ada.grants } });
  await terminals(client, password);
  await client.step('POST', `${one}/disable`);
  await client.step('GET', '/v1/sessions');
  await client.step('DELETE', '/v1/sessions/none');
  const policy = '/v1/sign-in-policy';
  const groups = [{ group: 'silo-operators', role: 'operator', facilities: ['north'] }];
  await client.step('PUT', `${policy}?dry_run=true`, { body: { groups } });
  await client.step('PUT', policy, { body: { groups } });
  await client.step('PUT', policy, { body: { groups: [{ group: 'x', role: 'site_administrator' }] } });
  await client.step('GET', policy);
  await client.step('GET', '/v1/people/sign-ins');
  await client.step('GET', '/v1/identity-provider');
  await client.step('POST', '/v1/session/oidc/start');
}

/** Lets the person who was invited before sign in at a terminal. */
async function terminals(client: TourClient, password: string): Promise<void> {
  const path = '/v1/terminals';
  const mill = { name: 'Mill', kind: 'terminal', facilities: ['north'] };
  const { code, terminal } = (await client.step('POST', path, { body: mill })).body.data;
  await client.step('POST', path, { body: { name: 'Wall', kind: 'display', facilities: [] } });
  await client.step('GET', path);
  client.key = '';
  const signedIn = await client.step('POST', '/v1/session', { body: { code } });
  const cookie = signedIn.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
  const headers = { cookie, 'sec-fetch-site': 'same-origin' };
  await client.step('GET', '/v1/session/people', { headers });
  for (const secret of [{ pin: '4072' }, { password: 'wrong' }, { password }]) {
    await client.step('PUT', '/v1/session/person', { headers, body: { login: 'ada', ...secret } });
  }
  await client.step('PUT', '/v1/session/person/presence', { headers });
  await client.step('PUT', '/v1/me/pin', { headers, body: { current_password: password, pin: '4071' } });
  await client.step('DELETE', '/v1/session/person', { headers });
  client.key = client.address.adminKey;
  await client.step('PUT', '/v1/session/person', { body: { login: 'ada', pin: '4071' } });
  await client.step('POST', `${path}/${terminal.terminal_id}/end`);
  await client.step('POST', `${path}/trm_none/end`);
}

export async function session(client: TourClient): Promise<void> {
  const path = '/v1/session';
  await client.step('GET', path);
  const { code } = (await client.step('POST', `${path}/codes`, { body: { valid_seconds: 3_600 } })).body.data;
  await client.step('POST', `${path}/codes`, { body: { valid_seconds: 1 } });
  client.key = '';
  await client.step('GET', path);
  await client.step('POST', path, { body: { api_key: 'gk_wrong' } });
  const signedIn = await client.step('POST', path, { body: { code } });
  await client.step('POST', path, { body: { code } });
  const cookie = signedIn.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
  const ownPage = { cookie, 'sec-fetch-site': 'same-origin' };
  await client.step('GET', path, { headers: ownPage });
  await client.step('DELETE', path, { headers: { cookie, 'sec-fetch-site': 'cross-site' } });
  await client.step('DELETE', path, { headers: ownPage });
  await client.step('GET', path, { headers: ownPage });
  client.key = client.address.adminKey;
}

export async function plants(client: TourClient): Promise<void> {
  await client.step('POST', '/sandbox/plants', { body: { id: 7, name: 'Rose', tag: 'flower' } });
  await client.step('POST', '/sandbox/plants', { body: { id: 7, name: 'Rose' } });
  await client.step('POST', '/sandbox/plants', { body: { name: 'Rose' } });
  await client.step('GET', '/sandbox/plants');
  await client.step('GET', '/sandbox/plants?limit=1');
  await client.step('GET', '/sandbox/plants/7');
  await client.step('GET', '/sandbox/plants/8');
  await client.step('GET', '/sandbox/plants/x');
  await client.step('DELETE', '/sandbox/plants/7');
  await client.step('DELETE', '/sandbox/plants/7');
}

export async function notifications(client: TourClient): Promise<void> {
  const rules = '/v1/notification-rules';
  const rule = { name: 'Shift', targets: [{ email: 'shift@example.com' }] };
  const made = await client.step('POST', rules, { body: rule });
  const path = `${rules}/${made.body.data.rule_id}`;
  await client.step('POST', rules, { body: { name: '', targets: [] } });
  await client.step('POST', rules, { body: { name: 'Chat', targets: [{ webhook_id: 'wh_none' }] } });
  await client.step('GET', rules);
  await client.step('GET', path);
  await client.step('GET', `${rules}/nr_none`);
  const quiet = { from: '22:00', to: '06:00', time_zone: 'Europe/Berlin' };
  await client.step('PUT', path, { body: { ...rule, quiet_hours: quiet, enabled: false } });
  await client.step('PUT', path, { body: { ...rule, quiet_hours: { ...quiet, time_zone: 'Nowhere' } } });
  await client.step('GET', '/v1/notifications?status=lost');
  await client.step('GET', '/v1/notifications?status=sent');
  await client.step('DELETE', path);
  await client.step('POST', `${path}/test`);
}

/** The types and shapes of all events so far, in order within their kind. */
export async function events(client: TourClient): Promise<void> {
  await client.step('GET', '/v1/events?types=nonsense');
  const abort = new AbortController();
  const response = await fetch(`${client.address.httpUrl}/v1/events`, {
    headers: {
      authorization: `Bearer ${client.address.adminKey}`,
      accept: 'text/event-stream',
      'last-event-id': '0',
    },
    signal: abort.signal,
  });
  let text = '';
  const stop = setTimeout(() => abort.abort(), 2_000);
  try {
    for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString();
  } catch {
    // The stream was aborted; the events received by then are all.
  }
  clearTimeout(stop);
  const found = [...text.matchAll(/^event: (.*)\ndata: (.*)$|^data: (.*)$/gm)].flatMap((match) => {
    const parsed = JSON.parse(match[2] ?? match[3] ?? 'null');
    const type = parsed?.type ?? match[1];
    return typeof type === 'string' &&
      !/online|offline|status_changed|forecast|refill|finding/.test(`${type}`)
      ? [{ type, keys: shapeOf(parsed) }]
      : [];
  });
  const distinct = [...new Set(found.map((one) => JSON.stringify(one)))].toSorted();
  client.steps.push({
    request: 'GET /v1/events from the start',
    status: response.status,
    headers: {},
    body: distinct,
  });
}

export async function faults(client: TourClient): Promise<void> {
  await client.step('GET', '/nowhere');
  await client.step('PATCH', SILOS);
  await client.step('PATCH', '/sandbox/plants');
  await client.step('GET', '/sandbox/nowhere');
  await client.step('POST', SILOS, { raw: '{' });
  await client.step('POST', SILOS, { raw: 'x', headers: { 'content-type': 'text/plain' } });
  await client.step('POST', SILOS, { raw: '{}', headers: { 'content-encoding': 'gzip' } });
  await client.step('GET', `${SILO}/sensors`, { headers: { accept: 'text/csv' } });
  await client.step('GET', `${SILO}%00`);
  client.key = '';
  await client.step('GET', SILOS);
  client.key = 'wrong';
  await client.step('GET', SILOS);
  client.key = client.address.adminKey;
}

/** Asks for the views of all devices in a way that does not depend on how long the previous steps took. */
export async function fleet(client: TourClient): Promise<void> {
  for (const name of ['devices', 'alerts', 'operations', 'missions', 'commands']) {
    await client.step('GET', `/v1/${name}?facility=nowhere`);
    await client.step('GET', `/v1/${name}?status=sideways`);
  }
  await client.step('GET', '/v1/devices?label=product%3Dwheat');
  const labels = { devices: { facility: 'north' }, set: { labels: { product: 'wheat' } } };
  await client.step('POST', '/v1/devices/change?dry_run=true', { body: labels });
  await client.step('POST', '/v1/devices/change', { body: { ...labels, devices: { facility: 'nowhere' } } });
  const csv = 'device_id,profile,name,model,facility,zone\ntour-row,rover,Rover,FR-7,north,a\n';
  await client.step('POST', '/v1/devices/import?dry_run=true', { body: { csv } });
  await client.step('POST', '/v1/devices/import', { body: { csv: csv.replace('FR-7', '') } });
  const made = await client.step('POST', '/v1/keys', {
    body: { name: 'of no device', scopes: ['read'], device_ids: ['nobody'] },
  });
  client.key = made.body.data.key;
  await client.step('GET', '/v1/overview');
  client.key = client.address.adminKey;
  const day = 'from=2026-03-01T00:00:00Z&to=2026-03-02T00:00:00Z&facility=nowhere';
  await client.step('GET', `/v1/alerts/statistics?${day}`);
  await client.step('GET', '/v1/alerts/statistics?from=2026-03-01T00:00:00Z&to=2026-02-01T00:00:00Z');
  const unknown = { alert_ids: ['al_none'], acknowledged_by: 'Ada' };
  await client.step('POST', '/v1/alerts/acknowledge', { body: unknown });
  await client.step('POST', '/v1/alerts/acknowledge', { body: { alert_ids: [], acknowledged_by: '' } });
}

/** Asks for notes and handovers in a way that does not depend on the time. */
export async function shifts(client: TourClient): Promise<void> {
  const at = '2026-03-01T08:00:00Z';
  const made = await client.step('POST', '/v1/notes', { body: { facility: 'north', at, text: 'noisy' } });
  await client.step('POST', '/v1/notes', { body: { at, text: 'nowhere' } });
  await client.step('POST', '/v1/notes', { body: { device_id: 'nobody', text: 'x' } });
  await client.step('GET', '/v1/notes?facility=north');
  await client.step('GET', '/v1/notes?from=noon');
  await client.step('DELETE', `/v1/notes/${made.body.data.note_id}`);
  await client.step('DELETE', '/v1/notes/nt_none');
  const shift = { from: '2026-03-01T06:00:00Z', to: '2026-03-01T14:00:00Z' };
  const handed = await client.step('POST', '/v1/handovers', { body: { ...shift, text: 'quiet' } });
  await client.step('POST', '/v1/handovers', { body: { from: shift.to, to: shift.from, text: 'x' } });
  await client.step('GET', '/v1/handovers?waiting=true');
  await client.step('POST', `/v1/handovers/${handed.body.data.handover_id}/acknowledge`);
  await client.step('POST', '/v1/handovers/ho_none/acknowledge');
  await client.step('GET', `/v1/shift-report?facility=nowhere&from=${shift.from}&to=${shift.to}`);
}

export async function reports(client: TourClient): Promise<void> {
  await client.step('GET', '/v1/reports?facility=nowhere&date=2026-03-01');
  await client.step('GET', '/v1/reports?period=yearly');
  const schedule = { name: 'Morning', period: 'daily', recipients: ['manager@example.com'] };
  await client.step('POST', '/v1/reports', { body: {} });
  await client.step('POST', '/v1/report-schedules', { body: { ...schedule, time_zone: 'Mars' } });
  const made = await client.step('POST', '/v1/report-schedules', { body: schedule });
  const path = `/v1/report-schedules/${made.body.data?.schedule_id ?? 'rs_none'}`;
  await client.step('PUT', path, { body: { ...schedule, enabled: false } });
  await client.step('GET', '/v1/report-schedules');
  await client.step('DELETE', path);
  await client.step('DELETE', path);
}

export async function views(client: TourClient): Promise<void> {
  const made = await client.step('POST', '/v1/views', {
    body: { name: 'Low', address: '#/overview?show=low' },
  });
  const path = `/v1/views/${made.body.data.view_id}`;
  await client.step('POST', '/v1/views', { body: { name: '', address: 'javascript:alert(1)' } });
  await client.step('PATCH', path, { body: { shared: true } });
  await client.step('GET', '/v1/views');
  await client.step('DELETE', path);
  await client.step('DELETE', path);
  const units = { mass: 'lb', temperature: 'fahrenheit', speed: 'mph' };
  await client.step('PUT', '/v1/preferences', { body: { units } });
  await client.step('PUT', '/v1/preferences', { body: { units: { ...units, mass: 'stone' } } });
  await client.step('GET', '/v1/preferences');
}

export async function bridges(client: TourClient): Promise<void> {
  const path = '/v1/bridges/north';
  const body = {
    session: 'one',
    version: '0.1.0',
    started_at: '2026-11-18T04:00:00Z',
    site: { file: 'site.yaml', loaded_at: null, faults: [{ line: 3, message: 'unknown field' }] },
    journal: { readings: 0, bytes: 0, oldest_at: null, dropped: 0, fault: null, gaps: [] },
  };
  await client.step('GET', path);
  await client.step('POST', `${path}/report`, { body });
  await client.step('POST', `${path}/report`, { body: { ...body, journal: null } });
  await client.step('GET', '/v1/bridges');
  await client.step('GET', path);
  await client.step('GET', `${path}/mappings`);
  await client.step('PUT', `${path}/key`, { body: { key_id: 'nobody' } });
  const scale = { mapping: 'modbus-example', endpoint: 'tcp://10.0.4.20:502', wait_s: 0 };
  await client.step('POST', `${path}/tests`, { body: scale });
  await client.step('POST', `${path}/devices`, { body: { device_id: 'nobody', ...scale } });
  await client.step('DELETE', `${path}/devices/nobody`);
  await client.step('DELETE', path);
}

export async function alarmHelp(client: TourClient): Promise<void> {
  const path = '/v1/alarm-help/sensor_threshold';
  const body = { cause: 'The door is open.', consequence: 'The store cools down.', action: 'Close it.' };
  await client.step('PUT', `${path}?facility=north&rule=temp_3%20below%20warning`, { body });
  await client.step('PUT', `${path}?rule=nonsense`, { body });
  await client.step('PUT', path, { body: { cause: '' } });
  await client.step('PUT', '/v1/alarm-help/weather', { body });
  await client.step('GET', '/v1/alarm-help');
  await client.step('DELETE', path);
  await client.step('DELETE', `${path}?facility=north&rule=temp_3%20below%20warning`);
}

/** Asks for exports in a way that does not depend on the readings of the previous steps. */
export async function dataExports(client: TourClient): Promise<void> {
  await client.step('GET', '/v1/readings?facility=nowhere');
  await client.step('GET', '/v1/readings?facility=nowhere&format=ndjson');
  await client.step('GET', '/v1/readings?device_id=nobody');
  await client.step('GET', '/v1/readings?sensor=colour&unit=stone');
  await client.step('GET', '/v1/history?facility=nowhere');
  await client.step('GET', '/v1/history?facility=nowhere&interval=1d&tz=Europe/Berlin');
  await client.step('GET', '/v1/history?interval=1d&tz=Atlantis');
  await client.step('GET', `${SILO}/sensors/history?interval=1d&tz=Atlantis`);
  await client.step('GET', `${SILO}/sensors/history?sensor=humidity&unit=kg`);
}

/** The webhook is disabled, so that nothing is sent. */
export async function webhooks(client: TourClient): Promise<void> {
  const wanted = { url: 'https://receiver.test/', event_types: ['alert.raised'], enabled: false };
  const made = await client.step('POST', '/v1/webhooks', { body: wanted });
  const path = `/v1/webhooks/${made.body.data.webhook_id}`;
  await client.step('POST', '/v1/webhooks', { body: { url: 'gopher://x', event_types: ['weather'] } });
  await client.step('POST', '/v1/webhooks', { body: { url: 'http://127.0.0.1/' } });
  await client.step('GET', path);
  await client.step('PATCH', path, { body: { severities: ['critical'], description: 'duty' } });
  await client.step('POST', `${path}/test`);
  await client.step('POST', `${path}/rotate-secret`, { body: { overlap_seconds: 0 } });
  await client.step('GET', `${path}/deliveries?status=dead`);
  await client.step('POST', `${path}/replay`, { body: { dead: true } });
  await client.step('POST', `${path}/replay`, { body: {} });
  await client.step('DELETE', path);
  await client.step('POST', `${path}/enable`);
  await client.step('GET', '/v1/webhooks');
}
