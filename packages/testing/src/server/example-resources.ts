import type { Endpoint } from '@granary/contract/endpoints/declaration/endpoint';
import { parameterNames } from '@granary/contract/endpoints/declaration/paths';
import { EXAMPLE_PASSWORD } from '@granary/contract/endpoints/me';
import type { Role } from '@granary/contract/keys';
import { MINUTE_MS, toIso } from '@granary/contract/time';
import { HOME, ScriptedRover, startRover } from './devices/scripted-rover.ts';
import { registerSilo, type ScriptedSilo } from './devices/scripted-silo.ts';
import { eventually } from './eventually.ts';
import { TWO_WAYPOINTS } from './missions.ts';
import { bridgedDevice, ScriptedBridge } from './scripted-bridge.ts';
import { type Api, siloNamed } from './service.ts';

type Device = ScriptedSilo | Awaited<ReturnType<typeof startRover>>;
type Ids = Partial<Record<string, string>>;

/** The capacity of the silo in the examples. */
const CAPACITY = { max: 20_000, unit: 'kg' };
/** A silo is half full; a rover is at home with a full battery. */
const USUAL = { silo: { weight: 10_000, temperature: 11 }, field: { ...HOME, battery_level: 100 } };
const REFILL_HOURS = 12;
/** Values that raise an alert. */
const ALARMING = { silo: { weight: 1_000 }, field: { battery_level: 5 } };

/** Creates the resources that the path of an endpoint names: a connected device, and its operation, alert, mission or command. */
export class ExampleResources {
  readonly #api: Api;
  readonly #now: () => number;
  readonly #devices: Device[] = [];
  #people = 0;
  /** The headers of a person for whom something was made. */
  #asking: Record<string, string> | null = null;
  #hasPersonWithPin = false;
  readonly #bridges: ScriptedBridge[] = [];

  constructor(api: Api, now: () => number) {
    this.#api = api;
    this.#now = now;
  }

  async prepare(endpoint: Endpoint): Promise<Ids> {
    const names = parameterNames(endpoint.path);
    const ids: Ids = {};
    if (names.includes('key_id')) ids['key_id'] = await this.#key(endpoint);
    if (endpoint.path.endsWith('/assign')) ids['person_id'] = await this.#administrator();
    if (names.includes('rule_id'))
      ids['rule_id'] = await this.#idOf('/v1/notification-rules', 'rule_id', RULE);
    if (names.includes('plant_id')) ids['plant_id'] = '42';
    if (names.includes('webhook_id'))
      ids['webhook_id'] = await this.#idOf('/v1/webhooks', 'webhook_id', WEBHOOK);
    if (names.includes('note_id')) ids['note_id'] = await this.#idOf('/v1/notes', 'note_id', NOTE);
    if (names.includes('handover_id')) {
      ids['handover_id'] = await this.#idOf('/v1/handovers', 'handover_id', HANDOVER);
    }
    if (names.includes('person_id')) ids['person_id'] = await this.#person();
    if (names.includes('terminal_id')) {
      const terminal = { name: 'Mill', kind: 'display', facilities: ['north'] };
      ids['terminal_id'] = (await this.#api.post('/v1/terminals', terminal)).body.data.terminal.terminal_id;
    }
    if (names.includes('schedule_id')) {
      ids['schedule_id'] = await this.#idOf('/v1/report-schedules', 'schedule_id', SCHEDULE);
    }
    if (names.includes('view_id')) ids['view_id'] = await this.#idOf('/v1/views', 'view_id', VIEW);
    if (names.includes('session_id')) ids['session_id'] = await this.#session();
    // An existing bridge belongs to its key, which is not that of the caller.
    const isNewBridge = endpoint.path.endsWith('/report');
    if (names.includes('bridge_id')) ids['bridge_id'] = isNewBridge ? 'reporting' : await this.#bridge();
    if (endpoint.path === '/bridges/{bridge_id}/devices') {
      await this.#api.post('/v1/siloscale/devices', siloNamed('bridged-silo'));
    }
    if (names.includes('alert_type')) await this.#api.put('/v1/alarm-help/low_level', HELP);
    if (names.includes('refill_id')) ids['refill_id'] = await this.#refill();
    if (!names.includes('device_id')) return ids;
    const group = endpoint.group === 'field' ? 'field' : 'silo';
    const device = await this.#connect(group);
    ids['device_id'] = device.deviceId;
    if (ids['bridge_id'] !== undefined)
      await this.#bridges.at(-1)?.report({ devices: [bridgedDevice(device.deviceId)] });
    const { path } = device;
    if (names.includes('alert_id')) ids['alert_id'] = await this.#alert(path, group);
    if (names.includes('operation_id')) {
      ids['operation_id'] = await this.#idOf(`${path}/operations/feed`, 'operation_id', { amount: 10 });
    }
    if (names.includes('proposal_id')) {
      // The proposal does not come from the caller, who confirms it.
      const agent = { name: 'an agent', scopes: ['read', 'propose'] };
      const { key } = (await this.#api.post('/v1/keys', agent)).body.data;
      const proposed = await this.#api.as(key).post(`${path}/proposals/feed`, { amount: 10 });
      ids['proposal_id'] = proposed.body.data.proposal_id;
    }
    if (names.includes('command_id')) {
      ids['command_id'] = await this.#idOf(`${path}/remote/command`, 'command_id', { command: 'hold' });
    }
    if (names.includes('mission_id') && device instanceof ScriptedRover) {
      ids['mission_id'] = await this.#mission(device, endpoint.path.endsWith('/resume'));
    }
    if (endpoint.path.endsWith('/restore')) await this.#api.delete(path);
    if (endpoint.path.endsWith('/declare-ended')) await this.#disappear(device, ids['operation_id']);
    return ids;
  }

  async #person(): Promise<string> {
    const person = { login: `person-${++this.#people}`, name: 'Ada', grants: [{ role: 'viewer' }] };
    return (await this.#api.post('/v1/people', person)).body.data.person.person_id;
  }

  /** The administrator who will send the example. */
  async #administrator(): Promise<string> {
    const headers = await this.personHeaders(undefined, 'administrator');
    this.#asking = headers;
    return (await this.#api.raw('GET', '/v1/me', { headers })).body.data.person.person_id;
  }

  /** A key of the person who will send the example, or of a program. */
  async #key({ path }: Endpoint): Promise<string> {
    if (!path.startsWith('/me/')) return await this.#idOf('/v1/keys', 'key_id', KEY);
    const headers = await this.personHeaders();
    this.#asking = headers;
    return (
      await this.#api.raw('POST', '/v1/me/keys', {
        headers: { ...headers, ...JSON_TYPE },
        body: JSON.stringify(KEY),
      })
    ).body.data.key_id;
  }

  /** With these headers a request is that of a person who has signed in. */
  async personHeaders(
    login = `person-${++this.#people}`,
    role: Role = 'operator',
  ): Promise<Record<string, string>> {
    const asking = this.#asking;
    this.#asking = null;
    if (asking !== null) return asking;
    const invited = await this.#api.post('/v1/people', {
      login,
      name: 'Ada',
      grants: [{ role }],
    });
    const signedIn = await this.#api.post('/v1/session', {
      invite: invited.body.data.code,
      password: EXAMPLE_PASSWORD,
    });
    return ownPage(signedIn);
  }

  /** With these headers a request is that of a terminal, at which the person of the examples can sign in. */
  async terminalHeaders(): Promise<Record<string, string>> {
    if (!this.#hasPersonWithPin) {
      this.#hasPersonWithPin = true;
      const headers = { ...(await this.personHeaders('grace')), 'content-type': 'application/json' };
      const body = JSON.stringify({ current_password: EXAMPLE_PASSWORD, pin: '4071' });
      await this.#api.raw('PUT', '/v1/me/pin', { headers, body });
    }
    const terminal = { name: 'Mill', kind: 'terminal', facilities: ['north'] };
    const { code } = (await this.#api.post('/v1/terminals', terminal)).body.data;
    return ownPage(await this.#api.post('/v1/session', { code }));
  }

  /** A session of a browser that has signed in with the key of the caller. */
  async #session(): Promise<string> {
    const { code } = (await this.#api.post('/v1/session/codes')).body.data;
    await this.#api.post('/v1/session', { code });
    return (await this.#api.get('/v1/sessions')).body.data[0].session_id;
  }

  /** A bridge that answers every request. */
  async #bridge(): Promise<string> {
    const bridgeId = `example-${this.#bridges.length}`;
    const key = { name: bridgeId, scopes: ['ingest'] };
    const bridge = new ScriptedBridge(
      this.#api.as((await this.#api.post('/v1/keys', key)).body.data.key),
      bridgeId,
    );
    this.#bridges.push(bridge);
    await bridge.report();
    bridge.answer(() => ({ failure: null }));
    return bridgeId;
  }

  async leave(): Promise<void> {
    await Promise.all(this.#bridges.map((bridge) => bridge.stop()));
    await Promise.all(this.#devices.map((device) => device.leave()));
  }

  async #connect(group: 'silo' | 'field'): Promise<Device> {
    const id = `example-${this.#devices.length}`;
    const device = await (group === 'silo' ? this.#silo(id) : startRover(this.#api, id, null));
    this.#devices.push(device);
    await this.#report(device.path, USUAL[group]);
    return device;
  }

  async #silo(id: string): Promise<ScriptedSilo> {
    const silo = await registerSilo(this.#api, id);
    await this.#api.patch(silo.path, { capacity: CAPACITY });
    await silo.reconnect();
    return silo;
  }

  #report(path: string, values: object) {
    return this.#api.post(`${path}/telemetry`, { ts: toIso(this.#now()), ...values });
  }

  async #alert(path: string, group: 'silo' | 'field'): Promise<string> {
    await this.#report(path, ALARMING[group]);
    let alertId = '';
    await eventually(async () => {
      const { data } = (await this.#api.get(`${path}/alerts`)).body;
      alertId = data[0]?.alert_id ?? '';
      return alertId !== '';
    }, true);
    return alertId;
  }

  /** A refill: a rise of the weight that has stayed. */
  async #refill(): Promise<string> {
    const { path, deviceId } = await this.#connect('silo');
    const nowMs = this.#now();
    const readings = Array.from({ length: REFILL_HOURS * 12 }, (_, index) => ({
      ts: toIso(nowMs - (REFILL_HOURS * 12 - index) * 5 * MINUTE_MS),
      weight: index < REFILL_HOURS * 6 ? 2_000 : 10_000,
    }));
    await this.#api.post(`${path}/telemetry`, readings);
    let refillId = '';
    await eventually(async () => {
      const { data } = (await this.#api.get(`/v1/refills?device_id=${deviceId}`)).body;
      refillId = data[0]?.refill_id ?? '';
      return refillId !== '';
    }, true);
    return refillId;
  }

  /** A mission that the device reports as running, or as paused. */
  async #mission(rover: ScriptedRover, isPaused: boolean): Promise<string> {
    const path = `${rover.path}/missions`;
    const missionId = await this.#idOf(path, 'mission_id', TWO_WAYPOINTS);
    await rover.take('mission_upload');
    await rover.ack({ mission_id: missionId, accepted: true });
    await rover.take('mission_start');
    const reach = async (state: string, status: string): Promise<void> => {
      await rover.publish('progress', { mission_id: missionId, state, ts: this.#now() });
      await eventually(async () => (await this.#api.get(`${path}/${missionId}`)).body.data.status, status);
    };
    await reach('running', 'in_progress');
    if (!isPaused) return missionId;
    await this.#api.post(`${path}/${missionId}/pause`);
    await reach('paused', 'paused');
    return missionId;
  }

  /** Ends the connection of the device for good, so that the outcome of its job is uncertain. */
  async #disappear(device: Device, operationId: string | undefined): Promise<void> {
    const { path } = device;
    if (operationId !== undefined) await device.publish('ack', { operation_id: operationId, accepted: true });
    await device.dropConnection();
    await eventually(async () => (await this.#api.get(`${path}/link`)).body.data.connected, false);
    if (operationId === undefined) return;
    const operation = `${path}/operations/${operationId}`;
    await eventually(async () => (await this.#api.get(operation)).body.data.status, 'unconfirmed');
  }

  async #idOf(path: string, name: string, body: unknown): Promise<string> {
    const answer = await this.#api.post(path, body);
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.text}`);
    return answer.body.data[name];
  }
}

const JSON_TYPE = { 'content-type': 'application/json' };
const ownPage = ({ headers }: { readonly headers: Headers }): Record<string, string> => ({
  cookie: headers.get('set-cookie')?.split(';', 1)[0] ?? '',
  'sec-fetch-site': 'same-origin',
});

const RULE = { name: 'Shift', targets: [{ email: 'shift@example.com' }] };
const KEY = { name: 'an example', scopes: ['read'] };
const HANDOVER = { from: '2026-11-15T00:00:00Z', to: '2026-11-15T08:00:00Z', text: 'quiet' };
const SCHEDULE = { name: 'Morning', period: 'daily', recipients: ['manager@example.com'] };
const VIEW = { name: 'Low', address: '#/overview?show=low' };
const HELP = { cause: 'empty', consequence: 'hunger', action: 'fill it' };
const NOTE = { facility: 'north', text: 'noisy' };
const WEBHOOK = { url: 'https://receiver.test/', event_types: ['device.registered'] };
