import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { describePostgres } from '@granary/testing/app/engines';
import { eventually } from '@granary/testing/server/eventually';
import { type NodeProcess, nodeProcesses } from '@granary/testing/server/node-processes';
import { cookieOf, invite, OWN_PAGE, PASSWORD, signedIn, signIn } from '@granary/testing/server/people';
import { type Answer, type Api, fieldDeviceNamed } from '@granary/testing/server/service';

/** An end usually takes less than a second, which is printed; on a busy machine it takes at most this time. */
const ENDED_MS_MAX = 5_000;
const TRIES = 3;
const ROVERS = '/v1/fielddevice/devices';
const PIN = '4071';

describePostgres('people on two nodes', (engine) => {
  const start = nodeProcesses(engine);
  let nodes: readonly [NodeProcess, NodeProcess];
  before(async () => {
    nodes = [await start(), await start()];
    await eventually(
      async () => (await nodes[0].api.post(ROVERS, fieldDeviceNamed('rover-1'))).status === 200,
      true,
    );
  });

  /** Sends requests with the same headers to one of the nodes. */
  const asking =
    (headers: Readonly<Record<string, string>>) =>
    (api: Api, method: string, path: string, body?: object, more: object = {}): Promise<Answer> =>
      api.raw(method, path, {
        headers: {
          ...headers,
          ...more,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
  const statuses = (answers: readonly Answer[]): number[] => answers.map(({ status }) => status).toSorted();

  /** Opens a stream; `ended` resolves when the node has ended it. */
  async function followed(node: NodeProcess, headers: Readonly<Record<string, string>>) {
    const stream = await fetch(`${node.httpUrl}/v1/events`, { headers });
    assert.equal(stream.status, 200);
    return { ended: stream.text().then(() => performance.now()) };
  }

  it('a person who is disabled at one loses sessions, keys and their sessions at the other', async (t) => {
    const [one, other] = nodes;
    const took: number[] = [];
    for (let at = 0; at < TRIES; at++) {
      const ada = await signedIn(one.api, [{ role: 'operator' }]);
      const made = await ada.ask('POST', '/v1/me/keys', { name: 'laptop', scopes: ['read', 'operate'] });
      const { key } = made.body.data;
      const credentials = [
        {
          ...OWN_PAGE,
          cookie: cookieOf(await signIn(other.api, { login: ada.person.login, password: PASSWORD })),
        },
        { authorization: `Bearer ${key}` },
        { ...OWN_PAGE, cookie: cookieOf(await signIn(other.api, { api_key: key })) },
      ];
      const streams = await Promise.all(credentials.map((headers) => followed(other, headers)));
      for (const headers of credentials) {
        assert.equal((await asking(headers)(other.api, 'GET', '/v1/session')).status, 200);
      }
      assert.equal((await one.api.post(`/v1/people/${ada.person.person_id}/disable`)).status, 200);
      const answeredAtMs = performance.now();
      for (const headers of credentials) {
        await eventually(async () => (await asking(headers)(other.api, 'GET', '/v1/session')).status, 401);
      }
      took.push(
        Math.max(...(await Promise.all(streams.map(({ ended }) => ended))), performance.now()) - answeredAtMs,
      );
      const stop = `${ROVERS}/rover-1/remote/command`;
      for (const headers of credentials) {
        const refused = await asking(headers)(other.api, 'POST', stop, { command: 'emergency_stop' });
        assert.equal(refused.status, 401, 'nor can they stop');
      }
    }
    t.diagnostic(`ended after ${took.map(Math.round).join(', ')} ms`);
    assert.ok(Math.min(...took) < ENDED_MS_MAX, `${took} ms`);
  });

  it('a sign-in that races with the end of its person leaves no session on either', async () => {
    const [one, other] = nodes;
    const { person } = await signedIn(one.api, [{ role: 'viewer' }]);
    const credentials = { login: person.login, password: PASSWORD };
    const racing = Array.from({ length: 12 }, (_, at) =>
      signIn(nodes[at % 2 === 0 ? 0 : 1].api, credentials),
    );
    const path = `/v1/people/${person.person_id}`;
    assert.equal((await one.api.post(`${path}/disable`)).status, 200);
    // A person who is invited again begins with the new link, and keeps nothing of the time before.
    const { code } = (await other.api.post(`${path}/invite`)).body.data;
    const answers = await Promise.all(racing);
    for (const answer of answers) {
      assert.ok([200, 401, 429].includes(answer.status), answer.text);
      const headers = { ...OWN_PAGE, cookie: cookieOf(answer) };
      for (const { api } of nodes) {
        await eventually(async () => (await asking(headers)(api, 'GET', '/v1/session')).status, 401);
      }
    }
    assert.equal((await signIn(other.api, { invite: code, password: PASSWORD })).status, 200);
  });

  it('an invitation that is used at both at once lets one in, with its password', async () => {
    const { person, code } = await invite(nodes[0].api, [{ role: 'viewer' }]);
    const passwords = ['one goose behind the hedge', 'two geese behind the hedge'];
    const answers = await Promise.all(
      passwords.map((password, at) => signIn(nodes[at === 0 ? 0 : 1].api, { invite: code, password })),
    );
    assert.deepEqual(statuses(answers), [200, 401]);
    const chosen = answers.findIndex(({ status }) => status === 200);
    for (const [at, password] of passwords.entries()) {
      const { status } = await signIn(nodes[0].api, { login: person.login, password });
      assert.equal(status, at === chosen ? 200 : 401);
    }
  });

  it('a confirmation of one counts at the other, once on both', async () => {
    const [one, other] = nodes;
    await one.api.put('/v1/sign-in-policy', { reconfirm: [{ facility: null, how: 'pin' }] });
    const ada = await signedIn(one.api, [{ role: 'operator' }, { role: 'administrator' }]);
    const headers = {
      ...OWN_PAGE,
      cookie: cookieOf(await signIn(other.api, { login: ada.person.login, password: PASSWORD })),
    };
    const ask = asking(headers);
    const commands = `${ROVERS}/rover-1/remote/command`;
    const stopped = await ask(other.api, 'POST', commands, { command: 'emergency_stop' });
    assert.equal(stopped.status, 200, stopped.text);
    const { command_id: commandId } = stopped.body.data;
    const body = { reason: 'it stands in the yard', looked_by: 'Ada' };
    const declare = (api: Api, more: object = {}) =>
      ask(api, 'POST', `${commands}s/${commandId}/declare-ended`, body, more);
    assert.equal((await declare(other.api)).body.error.code, 'confirmation_required');
    const wanted = { action: 'commands.declareEnded', device_id: 'rover-1', resource_id: commandId, body };
    const confirmed = await ask(one.api, 'POST', '/v1/confirmations', { ...wanted, password: PASSWORD });
    assert.equal(confirmed.status, 200, confirmed.text);
    const withId = { 'x-confirmation': confirmed.body.data.confirmation_id };
    // An emergency stop is declared ended at the earliest after some seconds; until then the confirmation stays.
    let answers: Answer[] = [];
    await eventually(async () => {
      answers = await Promise.all([declare(other.api, withId), declare(one.api, withId)]);
      return answers.some(({ status }) => status === 200);
    }, true);
    assert.deepEqual(statuses(answers), [200, 403]);
    const done = answers.find(({ status }) => status === 200);
    assert.equal(done?.body.data.declared.by.confirmed_by.key_id, ada.person.person_id);
    for (const { api } of nodes) {
      assert.equal((await declare(api, withId)).body.error.code, 'confirmation_required');
    }
  });

  it('five wrong PINs count on both together', async () => {
    const [one, other] = nodes;
    const ada = await signedIn(one.api, [{ role: 'operator' }]);
    assert.equal((await ada.ask('PUT', '/v1/me/pin', { current_password: PASSWORD, pin: PIN })).status, 200);
    const terminal = { name: 'Mill', kind: 'terminal', facilities: ['north'] };
    const { code } = (await one.api.post('/v1/terminals', terminal)).body.data;
    const ask = asking({ ...OWN_PAGE, cookie: cookieOf(await signIn(one.api, { code })) });
    const enter = (api: Api, pin: string) =>
      ask(api, 'PUT', '/v1/session/person', { login: ada.person.login, pin });
    let looked = 0;
    for (let at = 0; looked < 5; at++) {
      const { body } = await enter(at % 2 === 0 ? one.api : other.api, '4072');
      if (body.error.code === 'wrong_pin') looked++;
      else assert.equal(body.error.code, 'too_many_failed_logins');
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    for (const { api } of nodes) {
      assert.equal((await enter(api, PIN)).body.error.code, 'password_required');
    }
  });
});
