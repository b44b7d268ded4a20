import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasProgram } from '@granary/testing/link/outside-clients';
import { type ScriptedRover, startRover } from '@granary/testing/server/devices/scripted-rover';
import { eventually } from '@granary/testing/server/eventually';
import { cookieOf, OWN_PAGE, PASSWORD, signedIn, signIn } from '@granary/testing/server/people';
import type { Answer, Api } from '@granary/testing/server/service';
import { ANSWER_MS_MAX, feedingSilo, type RunningSilo, timed } from './rig.ts';
import { NodesRig } from './several-nodes.ts';

const ATTEMPTS = 2;
/** Every node knows within a second which keys and sessions have ended; on a busy machine it knows within this time. */
const TOLD_MS = 4_000;

type Headers = Readonly<Record<string, string>>;

/** A caller who requests a stop. Node 0 has signed the caller in, and no other node has had a request of the caller. */
interface Asking {
  readonly name: string;
  readonly headers: Headers;
}

const withKey = (key: string): Headers => ({ authorization: `Bearer ${key}` });

describe('three nodes while PostgreSQL is frozen', { skip: !hasProgram('mosquitto') }, () => {
  let rig: NodesRig;
  let first: Api;
  before(async () => {
    rig = await NodesRig.start(3);
    first = rig.node(0).api;
  });
  after(() => rig?.stop());

  const issueKey = async (wanted: object = {}) =>
    (await first.post('/v1/keys', { name: 'k', scopes: ['operate', 'read'], ...wanted })).body.data;

  async function signInBy(body: object): Promise<Headers> {
    const answer = await signIn(first, body);
    assert.equal(answer.status, 200, answer.text);
    return { ...OWN_PAGE, cookie: cookieOf(answer) };
  }

  async function enrol(): Promise<Headers> {
    const wanted = { name: 'Mill', kind: 'terminal', facilities: ['north'] };
    const { code } = (await first.post('/v1/terminals', wanted)).body.data;
    return await signInBy({ code });
  }

  /** A caller for every way to sign in, each of whom may stop. */
  async function everybody(): Promise<Asking[]> {
    const { key } = await issueKey();
    const { key: sessionKey } = await issueKey();
    const ada = await signedIn(first, [{ role: 'operator' }]);
    const { body } = await ada.ask('POST', '/v1/me/keys', { name: 'phone', scopes: ['stop'] });
    const personal: string = body.data.key;
    const setPin = () => ada.ask('PUT', '/v1/me/pin', { current_password: PASSWORD, pin: '4071' });
    await eventually(async () => (await setPin()).status, 200);
    const locked = await enrol();
    const used = await enrol();
    const atTerminal = { headers: { ...used, 'content-type': 'application/json' } };
    const pin = JSON.stringify({ login: ada.person.login, pin: '4071' });
    const letIn = () => first.raw('PUT', '/v1/session/person', { ...atTerminal, body: pin });
    await eventually(async () => (await letIn()).status, 200);
    return [
      { name: 'a key', headers: withKey(key) },
      {
        name: 'a key that may do nothing but stop',
        headers: withKey((await issueKey({ scopes: ['stop'] })).key),
      },
      { name: 'a key of one facility', headers: withKey((await issueKey({ facilities: ['north'] })).key) },
      { name: 'a session of a key', headers: await signInBy({ api_key: sessionKey }) },
      { name: 'a person', headers: await signInBy({ login: ada.person.login, password: PASSWORD }) },
      { name: 'a key of a person', headers: withKey(personal) },
      { name: 'a terminal at which nobody has signed in', headers: locked },
      { name: 'a person at a terminal', headers: used },
    ];
  }

  const emergencyStop = (api: Api, rover: ScriptedRover, headers: Headers): Promise<Answer> =>
    api.raw('POST', `${rover.path}/remote/command`, {
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ command: 'emergency_stop' }),
    });

  const stopBy = (api: Api, { path }: RunningSilo, headers: Headers): Promise<Answer> =>
    api.raw('POST', `${path}/stop`, { headers });

  const stopByAgent = (api: Api, { silo, operationId }: RunningSilo, headers: Headers): Promise<Answer> => {
    const ids = { device_id: silo.deviceId, operation_id: operationId };
    const params = { name: 'operations_stop', arguments: ids };
    return api.raw('POST', '/mcp', {
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    });
  };

  /** The time until the stop was at the device, after a successful answer. */
  async function measured(answering: Promise<Answer>, arriving: Promise<unknown>): Promise<number> {
    const answered = timed(answering);
    const atDevice = await Promise.race([timed(arriving), answered.then(() => null)]);
    const { result, ms } = await answered;
    assert.equal(result.status, 200, result.text);
    assert.equal(result.body.result?.isError ?? false, false, result.text);
    assert.match(result.text, /could not be stored yet/);
    assert.ok(ms < ANSWER_MS_MAX, `answered after ${ms} ms`);
    return (atDevice ?? (await timed(arriving))).ms;
  }

  test('every node stops devices that it has not met, for everybody who was let in elsewhere', async (t) => {
    const times = new Map<string, number[]>();
    const note = (name: string, ms: number) => times.set(name, [...(times.get(name) ?? []), ms]);
    const asked: (Asking & {
      readonly rover: ScriptedRover;
      readonly silo: RunningSilo;
      readonly node: number;
    })[] = [];
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      for (const asking of await everybody()) {
        const rover = await startRover(first, `rover-${asked.length}`);
        asked.push({
          ...asking,
          rover,
          silo: await feedingSilo(first, `silo-${asked.length}`),
          node: 1 + (attempt % 2),
        });
      }
    }
    await rig.untilConnected(2 * asked.length);
    await rig.whileFrozen(async () => {
      for (const { name, headers, rover, silo, node } of asked) {
        const { api } = rig.node(node);
        const stop = emergencyStop(api, rover, headers);
        note(`${name}, emergency stop`, await measured(stop, rover.take('execute')));
        // Agents do not work at terminals.
        const ask = name.includes('terminal') ? stopBy : stopByAgent;
        note(`${name}, stop`, await measured(ask(api, silo, headers), silo.silo.take('stop')));
      }
    });
    for (const { rover, silo } of asked) await Promise.all([rover.leave(), silo.silo.leave()]);
    for (const [name, all] of times) {
      t.diagnostic(`${name}: at the device after ${all.map(Math.round).join(', ')} ms`);
      assert.ok(
        all.every((ms) => ms < ANSWER_MS_MAX),
        `${name}: at the device after ${all} ms`,
      );
    }
  });

  test('whoever has ended elsewhere stops nothing soon after, although this node had let them in', async () => {
    const running = await feedingSilo(first, 'guarded');
    const key = await issueKey();
    const moved = await issueKey({ facilities: ['north'] });
    const byKey = await signInBy({ api_key: (await issueKey()).key });
    const ada = await signedIn(first, [{ role: 'operator' }]);
    const person = await signInBy({ login: ada.person.login, password: PASSWORD });
    const ending: Asking[] = [
      { name: 'a revoked key', headers: withKey(key.key) },
      { name: 'a session that was ended', headers: byKey },
      { name: 'a person who may only read', headers: person },
      { name: 'a key of a facility that the silo has left', headers: withKey(moved.key) },
    ];
    for (const { headers } of ending) {
      assert.equal((await rig.node(1).api.raw('GET', running.path, { headers })).status, 200);
    }
    assert.equal((await first.delete(`/v1/keys/${key.key_id}`)).status, 200);
    assert.equal((await first.raw('DELETE', '/v1/session', { headers: byKey })).status, 200);
    const reader = { grants: [{ role: 'viewer' }] };
    assert.equal((await first.patch(`/v1/people/${ada.person.person_id}`, reader)).status, 200);
    const south = { location: { facility: 'south', zone: 'a' } };
    assert.equal((await first.patch(running.silo.path, south)).status, 200);
    await sleep(TOLD_MS);
    await rig.whileFrozen(async () => {
      for (const { name, headers } of ending) {
        const { result } = await timed(stopBy(rig.node(1).api, running, headers));
        assert.ok([403, 404, 503].includes(result.status), `${name}: ${result.text}`);
      }
    });
    assert.equal(running.silo.commands.filter(({ command }) => command === 'stop').length, 0);
    await running.silo.leave();
  });
});
