import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SCOPES } from '@granary/contract/keys';
import { checkFieldCommand } from '@granary/contract/link/field-messages';
import { checkSiloCommand } from '@granary/contract/link/messages';
import { MINUTE_MS, toIso } from '@granary/contract/time';
import { TestClock } from '@granary/testing/server/clock';
import { HOME, ScriptedRover } from '@granary/testing/server/devices/scripted-rover';
import { ScriptedSilo } from '@granary/testing/server/devices/scripted-silo';
import { eventually } from '@granary/testing/server/eventually';
import { TestProvider, Visitor } from '@granary/testing/server/identity-provider';
import { TWO_WAYPOINTS } from '@granary/testing/server/missions';
import { cookieOf, OWN_PAGE, PASSWORD, signedIn, signIn } from '@granary/testing/server/people';
import { assertPublished } from '@granary/testing/server/published/answer-check';
import { type AddressedOperation, readPublished } from '@granary/testing/server/published/document';
import { bridgedDevice, ScriptedBridge } from '@granary/testing/server/scripted-bridge';
import { describeRequests, fieldDeviceNamed, siloNamed } from '@granary/testing/server/service';

/**
 * Callers of every kind send every operation of the published document about things that belong to another facility, as an attacker
 * would who has that document and knows all ids.
 */

const SILOS = '/v1/siloscale/devices';
const FIELD = '/v1/fielddevice/devices';
/** This text is in everything that was entered about the other facility, and in no request. */
const MARK = 'kept-in-the-south';
/** How long a stream is read; its stored content arrives at once. */
const STREAM_MS = 100;

/** These operations end the session of the caller or lock the terminal, so they are sent last. */
const LAST = ['terminalsLock', 'sessionEndOthers', 'sessionEnd'];

/**
 * The operations that answer a caller of one facility with the part that belongs to it, which may be empty. Every other operation must
 * refuse, so a new operation that answers fails the test until it is listed here.
 */
const ANSWERS_WITH_A_PART: ReadonlySet<string> = new Set(
  [
    'devicesSiloList devicesFieldList fleetDevices fleetAlerts fleetAlertStatistics fleetAcknowledgeAlerts fleetOperations',
    'fleetMissions fleetCommands fleetOverview fleetTimeZones foresightForecasts foresightRefills foresightOrderList',
    'foresightFindings proposalsList shiftsNotes shiftsReport shiftsHandovers reportsReport icarFeedStorage exportsReadings',
    'exportsHistory eventsStream readingsStream alarmHelpList bridgesList peopleList terminalsList auditList reportsSchedules',
    // These operations concern the caller itself.
    'viewsList viewsCreate viewsPreferences viewsChangePreferences meGet meKeys pushGet sessionGet sessionList sessionEnd',
    'sessionEndOthers sessionCreateCode mcpCall reportsSend reportsCreateSchedule bulkChange bulkImportDevices',
    'pushChange pushSubscribe pushTest meCreateKey meUnlink meAddPasskey signOnLink',
    'terminalsPeople terminalsStay terminalsLock',
    // The sample store of the interface has no devices.
    'plantsCreate plantsList plantsGet',
  ].flatMap((names) => names.split(' ')),
);

type HeaderMap = Readonly<Record<string, string>>;

/** A caller; one without scopes is not known to the service, or not any more. */
interface Asking {
  readonly headers: HeaderMap;
  readonly scopes: readonly string[] | null;
  /** Whether the caller may read about every facility. */
  readonly isEverywhere: boolean;
}

const published = readPublished();
const operations = [...published.operations].sort(
  (one, other) => LAST.indexOf(one.part.operationId) - LAST.indexOf(other.part.operationId),
);
const provider = await TestProvider.start();
const clock = new TestClock();

const isPublic = ({ part }: AddressedOperation): boolean =>
  part.security.length === 0 || part.security.some((way) => Object.keys(way).length === 0);

const scopesOf = ({ part }: AddressedOperation): readonly string[] => part.security[0]?.['key'] ?? [];

const covers = (scopes: readonly string[], scope: string): boolean =>
  scopes.includes(scope) || (['stop', 'propose'].includes(scope) && scopes.includes('operate'));

/** These fields change by themselves: keys are used, and no receiver takes what webhooks deliver. */
const VARYING: ReadonlySet<string> = new Set([
  'last_used_at',
  'last_event_id',
  'failing_since',
  'updated_at',
]);

async function readFor(response: Response, ms: number, leaving: AbortController): Promise<string> {
  const parts: string[] = [];
  const timer = setTimeout(() => leaving.abort(), ms);
  try {
    for await (const part of response.body ?? []) parts.push(Buffer.from(part).toString('utf8'));
  } catch (error) {
    if (!leaving.signal.aborted) throw error;
  } finally {
    clearTimeout(timer);
  }
  return parts.join('');
}

describeRequests(
  'every operation, asked by every kind of caller',
  (api) => {
    const callers = new Map<string, Asking>();
    const ids: Record<string, string> = {};
    let silo: ScriptedSilo | undefined;
    let rover: ScriptedRover | undefined;

    const idOf = async (path: string, name: string, body: object): Promise<string> => {
      const answer = await api.post(path, body);
      assert.equal(answer.status, 200, `${path}: ${answer.text}`);
      return answer.body.data[name];
    };

    /** Makes one of everything that an address can name, about the facility south; its texts contain the mark. */
    async function furnish(): Promise<void> {
      const registered = async (root: string, wanted: object) => ({
        api,
        root,
        credentials: (await api.post(root, { ...wanted, name: MARK })).body.data.credentials,
      });
      silo = new ScriptedSilo({
        ...(await registered(SILOS, siloNamed('other-silo', 'south'))),
        checkCommand: checkSiloCommand,
      });
      rover = new ScriptedRover({
        ...(await registered(FIELD, fieldDeviceNamed('other-rover', 'south'))),
        checkCommand: checkFieldCommand,
      });
      await silo.reconnect();
      await silo.weigh(500);
      await rover.reconnect();
      await rover.report({ ...HOME, battery_level: 100 });
      ids['proposal_id'] = await idOf(`${silo.path}/proposals/feed`, 'proposal_id', { amount: 10 });
      ids['operation_id'] = await idOf(`${silo.path}/operations/feed`, 'operation_id', { amount: 10 });
      ids['command_id'] = await idOf(`${rover.path}/remote/command`, 'command_id', { command: 'hold' });
      ids['mission_id'] = await idOf(`${rover.path}/missions`, 'mission_id', {
        ...TWO_WAYPOINTS,
        mission_name: MARK,
        scheduled_start: toIso(clock.now() + 60 * MINUTE_MS),
      });
      await api.post(`${SILOS}/other-silo/telemetry`, { ts: clock.now(), weight: 5 });
      await eventually(async () => {
        ids['alert_id'] = (await api.get(`${SILOS}/other-silo/alerts`)).body.data[0]?.alert_id ?? '';
        return ids['alert_id'] !== '';
      }, true);
      ids['note_id'] = await idOf('/v1/notes', 'note_id', { facility: 'south', text: MARK });
      const shift = { from: toIso(clock.now() - 60 * MINUTE_MS), to: toIso(clock.now()) };
      const handover = { ...shift, facility: 'south', text: MARK };
      ids['handover_id'] = await idOf('/v1/handovers', 'handover_id', handover);
      ids['schedule_id'] = await idOf('/v1/report-schedules', 'schedule_id', {
        name: MARK,
        period: 'daily',
        recipients: [`${MARK}@example.com`],
        facility: 'south',
      });
      ids['view_id'] = await idOf('/v1/views', 'view_id', { name: MARK, address: '#/overview?show=low' });
      ids['key_id'] = await idOf('/v1/keys', 'key_id', { name: MARK, scopes: ['read'] });
      ids['rule_id'] = await idOf('/v1/notification-rules', 'rule_id', {
        name: MARK,
        targets: [{ email: `${MARK}@example.com` }],
      });
      ids['webhook_id'] = await idOf('/v1/webhooks', 'webhook_id', {
        url: `https://receiver.test/${MARK}`,
        event_types: ['device.registered'],
      });
      const grants = [{ role: 'operator', facilities: ['south'] }];
      const person = { login: 'sue', name: MARK, email: `${MARK}@example.com`, grants };
      ids['person_id'] = (await api.post('/v1/people', person)).body.data.person.person_id;
      const terminal = { name: MARK, kind: 'terminal', facilities: ['south'] };
      ids['terminal_id'] = (await api.post('/v1/terminals', terminal)).body.data.terminal.terminal_id;
      const { code } = (await api.post('/v1/session/codes')).body.data;
      await api.post('/v1/session', { code });
      ids['session_id'] = (await api.get('/v1/sessions')).body.data[0].session_id;
      const issued = (await api.post('/v1/keys', { name: 'the bridge', scopes: ['ingest'] })).body.data;
      const bridge = new ScriptedBridge(api.as(issued.key), 'south-bridge');
      const site = { file: `/${MARK}/site.yaml`, loaded_at: toIso(clock.now()) };
      const reported = await bridge.report({
        site: { ...site, faults: [{ line: 1, message: MARK }] },
        devices: [bridgedDevice('other-silo', { endpoint: `tcp://${MARK}.test:502` })],
      });
      assert.equal(reported.status, 200, reported.text);
      ids['bridge_id'] = 'south-bridge';
      const help = { cause: MARK, consequence: MARK, action: MARK };
      const helped = await api.put('/v1/alarm-help/low_level?facility=south', help);
      assert.equal(helped.status, 200, helped.text);
    }

    const keyed = (key: string): HeaderMap => ({ authorization: `Bearer ${key}` });

    async function keyOf(name: string, scopes: readonly string[], limits: object = {}): Promise<void> {
      const { key } = (await api.post('/v1/keys', { name, scopes, ...limits })).body.data;
      const isEverywhere = Object.keys(limits).length === 0;
      callers.set(name, { headers: keyed(key), scopes, isEverywhere });
    }

    const cookied = (answer: { readonly headers: Headers }): HeaderMap => ({
      ...OWN_PAGE,
      cookie: cookieOf(answer),
    });

    async function sessionOfKey(key: string): Promise<HeaderMap> {
      const { code } = (await api.as(key).post('/v1/session/codes', {})).body.data;
      return cookied(await signIn(api, { code }));
    }

    async function enrolled(kind: 'terminal' | 'display'): Promise<HeaderMap> {
      const { code } = (await api.post('/v1/terminals', { name: kind, kind, facilities: ['north'] })).body
        .data;
      return cookied(await signIn(api, { code }));
    }

    async function signedInAtProvider(): Promise<HeaderMap> {
      const { httpUrl } = api.started;
      provider.serve(httpUrl);
      await api.put('/v1/sign-in-policy', {
        groups: [{ group: 'mill', role: 'operator', facilities: ['north'] }],
      });
      provider.people.set('ada', { name: 'Ada', groups: ['mill'] });
      const visitor = new Visitor();
      const started = await api.raw('POST', '/v1/session/oidc/start', {
        headers: { origin: httpUrl, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' },
        body: '{}',
      });
      visitor.keep(httpUrl, started.headers);
      const back = await visitor.signInAt(started.body.data.url, 'ada');
      const headers = { 'sec-fetch-site': 'cross-site', cookie: visitor.cookiesFor(httpUrl) };
      const answer = await api.raw('GET', back.slice(httpUrl.length), { headers });
      assert.equal(answer.status, 200, answer.text);
      visitor.keep(httpUrl, answer.headers);
      return { ...OWN_PAGE, cookie: visitor.cookiesFor(httpUrl) };
    }

    async function inviteCallers(): Promise<void> {
      const unknown = (name: string, headers: HeaderMap) =>
        callers.set(name, { headers, scopes: null, isEverywhere: false });
      const known = (name: string, headers: HeaderMap, scopes: readonly string[]) =>
        callers.set(name, { headers, scopes, isEverywhere: false });
      const north = { facilities: ['north'] };
      const ownDevices = { device_ids: ['own-silo', 'own-rover'] };

      unknown('without a key', {});
      unknown('with a wrong key', keyed(`gk_${'0'.repeat(43)}`));
      const expiring = { name: 'expired', scopes: SCOPES, expires_at: toIso(clock.now() + MINUTE_MS) };
      unknown('with an expired key', keyed((await api.post('/v1/keys', expiring)).body.data.key));
      clock.pass(2 * MINUTE_MS);
      const { key_id, key } = (await api.post('/v1/keys', { name: 'revoked', scopes: SCOPES })).body.data;
      unknown('with a revoked key', keyed(key));
      unknown('with a session of a revoked key', await sessionOfKey(key));
      await api.delete(`/v1/keys/${key_id}`);
      const ended = await signedIn(api, [{ role: 'operator' }]);
      unknown('with a session that was ended', ended.headers);
      await ended.ask('DELETE', '/v1/session');
      const disabled = await signedIn(api, [{ role: 'operator' }]);
      unknown('with a session of a disabled person', disabled.headers);
      const own = { name: 'own', scopes: ['read'] };
      unknown(
        'with a key of a disabled person',
        keyed((await disabled.ask('POST', '/v1/me/keys', own)).body.data.key),
      );
      await api.post(`/v1/people/${disabled.person.person_id}/disable`);

      await keyOf('with a key of a facility', SCOPES, north);
      await keyOf('with a key of devices', SCOPES, ownDevices);
      await keyOf('with a key of devices of a facility', SCOPES, { ...north, ...ownDevices });
      // The session has a key of its own, because a key may end its sessions.
      const another = { name: 'of a session', scopes: SCOPES, ...north };
      const { key: keyOfSession } = (await api.post('/v1/keys', another)).body.data;
      known('with a session of a key of a facility', await sessionOfKey(keyOfSession), SCOPES);
      for (const scope of ['read', 'ingest', 'stop', 'admin']) {
        await keyOf(`with a key of a facility that may only ${scope}`, [scope], north);
      }
      for (const scope of ['read', 'ingest', 'stop']) {
        await keyOf(`with a key of everything that may only ${scope}`, [scope]);
      }
      await keyOf('as an agent', ['read', 'propose'], north);

      for (const [role, scopes] of [
        ['viewer', ['read']],
        ['operator', ['read', 'operate']],
        ['engineer', ['read', 'operate', 'configure']],
        ['site_administrator', ['read', 'configure', 'admin']],
      ] as const) {
        const { headers } = await signedIn(api, [{ role, ...north }]);
        known(`as a ${role} of a facility`, headers, scopes);
      }
      const ofDevices = await signedIn(api, [{ role: 'engineer', ...north, ...ownDevices }]);
      known('as an engineer of devices', ofDevices.headers, ['read', 'operate', 'configure']);
      const personal = { name: 'own', scopes: ['read', 'operate'] };
      const issued = (await ofDevices.ask('POST', '/v1/me/keys', personal)).body.data;
      known('with a personal key', keyed(issued.key), personal.scopes);
      known('as a person of the provider', await signedInAtProvider(), ['read', 'operate']);

      known('at a display', await enrolled('display'), ['read']);
      known('at a terminal', await enrolled('terminal'), ['read', 'stop']);
      const atTerminal = await enrolled('terminal');
      const operator = await signedIn(api, [{ role: 'operator', ...north }]);
      const entered = await api.raw('PUT', '/v1/session/person', {
        headers: { ...atTerminal, 'content-type': 'application/json' },
        body: JSON.stringify({ login: operator.person.login, password: PASSWORD }),
      });
      assert.equal(entered.status, 200, entered.text);
      known('as an operator at a terminal', atTerminal, ['read', 'operate']);
    }

    before(async () => {
      await api.post(SILOS, siloNamed('own-silo'));
      await api.post(FIELD, fieldDeviceNamed('own-rover'));
      await furnish();
      await inviteCallers();
    });

    after(async () => {
      await silo?.leave();
      await rover?.leave();
      await provider.stop();
      clock.reset();
    });

    /** The value of an example, changed so that it is about the other facility. */
    function aimed(name: string, value: unknown, deviceId: string): unknown {
      if (name === 'device_id') return deviceId;
      if (name === 'device_ids') return [deviceId];
      if (name === 'facility') return 'south';
      if (name === 'facilities') return ['south'];
      if (name === 'alert_ids') return [ids['alert_id']];
      if (ids[name] !== undefined) return ids[name];
      if (Array.isArray(value)) return value.map((one) => aimed('', one, deviceId));
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, aimed(key, one, deviceId)]));
    }

    async function ask({ headers }: Asking, { method, path, part }: AddressedOperation) {
      const deviceId = path.startsWith(FIELD) ? 'other-rover' : 'other-silo';
      const query = new URLSearchParams();
      for (const one of part.parameters ?? []) {
        if (one.in === 'query' && one.required) query.set(one.name, String(one.example));
      }
      const address = path.replace(/\{(\w+)\}/g, (_, name: string) => {
        const example = part.parameters?.find((one) => one.name === name)?.example;
        return encodeURIComponent(String(aimed(name, example, deviceId)));
      });
      const [example] = Object.values(part.requestBody?.content['application/json']?.examples ?? {});
      const body = example === undefined ? undefined : JSON.stringify(aimed('', example.value, deviceId));
      const leaving = new AbortController();
      const url = `${address}${query.size === 0 ? '' : `?${query}`}`;
      const response = await fetch(api.started.httpUrl + url, {
        method,
        redirect: 'manual',
        signal: leaving.signal,
        headers: {
          ...headers,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          'last-event-id': '0',
        },
        ...(body === undefined ? {} : { body }),
      });
      const { status } = response;
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
      const text = isStream ? await readFor(response, STREAM_MS, leaving) : await response.text();
      assertPublished({ method, path: url, status, headers: response.headers, text: isStream ? null : text });
      return { status, text };
    }

    const faultsOf = (name: string, { scopes, isEverywhere }: Asking, operation: AddressedOperation) => {
      const { operationId } = operation.part;
      return ({ status, text }: { readonly status: number; readonly text: string }): string[] => {
        const said = `${operationId} ${name}: ${status} ${text.slice(0, 160)}`;
        const mayKnow = isEverywhere && scopes !== null;
        if (status >= 500) return [said];
        if (text.includes(MARK) && !mayKnow) return [`tells of another facility: ${said}`];
        if (isPublic(operation)) return [];
        // After many wrong keys from one address the answer asks the caller to wait; answers of the plant store have no codes.
        const isUnknown = status === 401 || /too_many_failed_logins|and many others/.test(text);
        if (scopes === null) return isUnknown ? [] : [said];
        const lacks = scopesOf(operation).some((scope) => !covers(scopes, scope));
        if (lacks) return status === 403 || (status === 404 && scopes.includes('stop')) ? [] : [said];
        if (mayKnow || ANSWERS_WITH_A_PART.has(operationId)) return [];
        return status === 403 || status === 404 ? [] : [said];
      };
    };

    /** What is stored about the other facility, as its administrator sees it. */
    async function stored(): Promise<readonly string[]> {
      const paths = [
        `${SILOS}/other-silo/config`,
        `${FIELD}/other-rover/config`,
        '/v1/people?limit=100',
        '/v1/notes?facility=south',
        '/v1/report-schedules',
        '/v1/notification-rules',
        '/v1/webhooks',
        '/v1/sign-in-policy',
        '/v1/alarm-help',
        '/v1/keys',
      ];
      return await Promise.all(
        paths.map(async (path) => {
          const { status, body } = await api.get(path);
          const rows = Array.isArray(body.data) ? body.data : [body.data];
          const texts: string[] = rows.map((row: unknown) =>
            JSON.stringify(row, (key, value: unknown) => (VARYING.has(key) ? null : value)),
          );
          // Callers may add things of their own to the same lists, so only entries with the mark count.
          const kept = texts.length === 1 ? texts : texts.filter((text) => text.includes(MARK));
          return `${path} ${status} ${kept.join(' ')}`;
        }),
      );
    }

    test('each is refused, or gets what is its own, and changes nothing of others', async () => {
      const faults: string[] = [];
      const first = await stored();
      for (const [name, caller] of callers) {
        for (const operation of operations) {
          faults.push(...faultsOf(name, caller, operation)(await ask(caller, operation)));
        }
        const now = await stored();
        faults.push(
          ...now.filter((line, index) => line !== first[index]).map((line) => `${name} changed ${line}`),
        );
      }
      assert.equal(faults.join('\n'), '');
    });
  },
  {
    ...provider.settings,
    // No mail server listens there, so mails wait.
    GRANARY_SMTP_URL: 'smtp://127.0.0.1:1',
    GRANARY_MAIL_FROM: 'granary@example.com',
  },
  { now: clock.now },
);
