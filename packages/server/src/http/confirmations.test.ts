import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { MINUTE_MS } from '@granary/contract/time';
import { startRover } from '@granary/testing/server/devices/scripted-rover';
import { type ScriptedSilo, startSilo } from '@granary/testing/server/devices/scripted-silo';
import { cookieOf, OWN_PAGE, PASSWORD, signedIn, signIn } from '@granary/testing/server/people';
import { type Answer, describeRequests, describeService } from '@granary/testing/server/service';

const POLICY = '/v1/sign-in-policy';
const CONFIRMATIONS = '/v1/confirmations';
const feed = (silo: Pick<ScriptedSilo, 'path'>) => `${silo.path}/operations/feed`;
const codeOf = ({ body }: Answer) => [body.error?.code, body.error?.message_code];
const withId = (id: string) => ({ 'x-confirmation': id });

describeService('confirmations', (api) => {
  let silo: ScriptedSilo;
  let other: ScriptedSilo;
  before(async () => {
    silo = await startSilo(api, 'confirmed-1');
    other = await startSilo(api, 'confirmed-2');
  });

  const policy = (how: string) => api.put(POLICY, { reconfirm: [{ facility: 'north', how }] });
  const ended = async (answer: Answer): Promise<void> => {
    assert.equal(answer.status, 200, answer.text);
    const { operation_id } = await silo.take('start');
    await silo.ack({ operation_id, accepted: false });
  };

  test('are asked for per facility, and programs are not asked', async () => {
    const ada = await signedIn(api, [{ role: 'operator' }]);
    await policy('pin');
    assert.deepEqual(codeOf(await ada.ask('POST', feed(silo), { amount: 1 })), [
      'confirmation_required',
      'confirmation_by_oneself',
    ]);
    await ended(await api.post(feed(silo), { amount: 1 }));
    await policy('none');
    await ended(await ada.ask('POST', feed(silo), { amount: 1 }));
    await api.put(POLICY, { reconfirm: [{ facility: null, how: 'second_person' }] });
    assert.deepEqual(codeOf(await ada.ask('POST', feed(silo), { amount: 1 })), [
      'confirmation_required',
      'confirmation_by_another',
    ]);
  });

  test('count once, for their action, device, amount and person, and name who confirmed', async () => {
    await policy('pin');
    const [ada, bo] = [
      await signedIn(api, [{ role: 'operator' }]),
      await signedIn(api, [{ role: 'operator' }]),
    ];
    const wanted = { action: 'operations.feed', device_id: silo.deviceId, body: { amount: 5, unit: 'kg' } };
    const confirm = async (more: object = {}) => {
      const answer = await ada.ask('POST', CONFIRMATIONS, { ...wanted, password: PASSWORD, ...more });
      assert.equal(answer.status, 200, answer.text);
      return answer.body.data.confirmation_id as string;
    };
    const send = (path: string, body: object, id: string, as = ada) => as.ask('POST', path, body, withId(id));
    const id = await confirm();
    const container = { target_container: 'truck' };
    for (const refused of [
      await send(feed(other), wanted.body, id),
      await send(feed(silo), { amount: 50, unit: 'kg' }, id),
      await send(feed(silo), { amount: 5, unit: 't' }, id),
      await send(`${silo.path}/operations/discharge`, { ...wanted.body, ...container }, id),
      await send(feed(silo), wanted.body, id, bo),
      await send(feed(silo), wanted.body, 'gf_unknown'),
    ]) {
      assert.equal(codeOf(refused)[0], 'confirmation_required', refused.text);
    }
    const key = { 'idempotency-key': 'once', ...withId(id) };
    const started = await ada.ask('POST', feed(silo), { unit: 'kg', amount: 5 }, key);
    assert.equal(started.status, 200, started.text);
    const { operation_id } = await silo.take('start');
    const repeated = await ada.ask('POST', feed(silo), { unit: 'kg', amount: 5 }, key);
    assert.deepEqual(repeated.body, started.body, 'a repetition gets the first answer');
    await silo.ack({ operation_id, accepted: false });
    const again = await send(feed(silo), wanted.body, id);
    assert.deepEqual(codeOf(again), ['confirmation_required', 'confirmation_has_ended']);
    const { data } = (
      await api.get(`/v1/audit?key_id=${ada.person.person_id}&action=operations.feed&result=done`)
    ).body;
    const by = { key_id: ada.person.person_id, name: ada.person.name };
    assert.deepEqual(
      data.map((one: { actor: { confirmed_by?: object } }) => one.actor.confirmed_by),
      [by],
    );
    const confirmations = (
      await api.get(`/v1/audit?key_id=${ada.person.person_id}&action=confirmations.create&result=done`)
    ).body.data;
    assert.deepEqual(
      confirmations.map(({ actor }: { actor: { key_name: string; confirmed_by?: object } }) => [
        actor.key_name,
        actor.confirmed_by,
      ]),
      [[ada.person.name, by]],
    );
    const all = (await api.get('/v1/audit?limit=1000')).text;
    for (const secret of [PASSWORD, id]) assert.equal(all.includes(secret), false);
  });

  test('are asked for when a person confirms what an agent proposes, and hold for that proposal only', async () => {
    await policy('pin');
    const { key } = (await api.post('/v1/keys', { name: 'agent', scopes: ['propose'] })).body.data;
    const propose = async () =>
      (await api.as(key).post(`${silo.path}/proposals/feed`, { amount: 2 })).body.data.proposal_id as string;
    const ada = await signedIn(api, [{ role: 'operator' }]);
    const [first, second] = [await propose(), await propose()];
    const start = (id: string, headers = {}) =>
      ada.ask('POST', `${silo.path}/proposals/${id}/confirm`, undefined, headers);
    assert.equal(codeOf(await start(first))[0], 'confirmation_required');
    const wanted = { action: 'proposals.confirm', device_id: silo.deviceId, resource_id: first };
    const answer = await ada.ask('POST', CONFIRMATIONS, { ...wanted, password: PASSWORD });
    const given = withId(answer.body.data.confirmation_id);
    assert.equal(codeOf(await start(second, given))[0], 'confirmation_required');
    await ended(await start(first, given));
  });

  test('of two starts at the same moment let one begin', async () => {
    await policy('pin');
    const ada = await signedIn(api, [{ role: 'operator' }]);
    const body = { amount: 3 };
    const wanted = { action: 'operations.feed', device_id: silo.deviceId, body, password: PASSWORD };
    const id = (await ada.ask('POST', CONFIRMATIONS, wanted)).body.data.confirmation_id;
    const answers = await Promise.all([1, 2, 3].map(() => ada.ask('POST', feed(silo), body, withId(id))));
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    const { operation_id } = await silo.take('start');
    await silo.ack({ operation_id, accepted: false });
  });

  test('stay in force when the start is refused for another reason', async () => {
    await policy('pin');
    const ada = await signedIn(api, [{ role: 'operator' }]);
    const body = { amount: 900, unit: 't' };
    const wanted = { action: 'operations.feed', device_id: silo.deviceId, body, password: PASSWORD };
    const id = (await ada.ask('POST', CONFIRMATIONS, wanted)).body.data.confirmation_id;
    for (const _ of ['first', 'second']) {
      const refused = await ada.ask('POST', feed(silo), body, withId(id));
      assert.equal(refused.body.error.code, 'insufficient_capacity');
    }
  });

  test('by a second person need another one who operates there', async () => {
    await policy('second_person');
    const [ada, bo, viewer] = [
      await signedIn(api, [{ role: 'operator' }]),
      await signedIn(api, [{ role: 'operator', facilities: ['north'] }]),
      await signedIn(api, [{ role: 'viewer' }]),
    ];
    const body = { amount: 2 };
    const confirm = (more: object) =>
      ada.ask('POST', CONFIRMATIONS, { action: 'operations.feed', device_id: silo.deviceId, body, ...more });
    assert.equal((await confirm({ password: PASSWORD })).status, 400);
    const own = await confirm({ login: ada.person.login, password: PASSWORD });
    assert.equal(own.status, 400);
    assert.equal((await confirm({ login: viewer.person.login, password: PASSWORD })).status, 403);
    assert.equal(
      (await confirm({ login: bo.person.login, password: 'wrong' })).body.error.code,
      'wrong_password',
    );
    assert.equal(
      (await confirm({ login: bo.person.login, pin: '4071' })).body.error.code,
      'password_required',
    );
    const { confirmation_id: id, confirmed_by: by } = (
      await confirm({ login: bo.person.login, password: PASSWORD })
    ).body.data;
    assert.deepEqual(by, { key_id: bo.person.person_id, name: bo.person.name });
    await ended(await ada.ask('POST', feed(silo), body, withId(id)));
    await policy('pin');
    const pin = (await confirm({ password: PASSWORD })).body.data.confirmation_id;
    await policy('second_person');
    const refused = await ada.ask('POST', feed(silo), body, withId(pin));
    assert.equal(codeOf(refused)[1], 'confirmation_by_another', 'the policy has become stricter meanwhile');
    const key = await api.post(CONFIRMATIONS, {
      action: 'operations.feed',
      device_id: silo.deviceId,
      password: 'x',
    });
    assert.equal(key.status, 403);
    const unknown = { action: 'operations.feed', device_id: 'nobody', password: PASSWORD };
    assert.equal((await ada.ask('POST', CONFIRMATIONS, unknown)).body.error.code, 'device_not_found');
  });

  test('are never asked for a stop, an emergency stop or a hold, but for its release', async () => {
    await policy('second_person');
    const rover = await startRover(api, 'confirmed-rover');
    const [ada, bo] = [
      await signedIn(api, [{ role: 'operator' }]),
      await signedIn(api, [{ role: 'operator' }]),
    ];
    const give = (command: string, headers = {}) =>
      ada.ask('POST', `${rover.path}/remote/command`, { command }, headers);
    const stop = await ada.ask('POST', `${silo.path}/operations/op_none/stop`);
    assert.equal(stop.body.error.code, 'operation_not_found');
    assert.equal((await give('hold')).status, 200);
    await rover.take('execute');
    assert.equal((await give('emergency_stop')).status, 200);
    for (const command of ['release_emergency_stop', 'return_to_base']) {
      assert.equal(codeOf(await give(command))[0], 'confirmation_required');
    }
    const wanted = {
      action: 'commands.give',
      device_id: rover.deviceId,
      body: { command: 'release_emergency_stop' },
    };
    const by = { login: bo.person.login, password: PASSWORD };
    const { confirmation_id: id } = (await ada.ask('POST', CONFIRMATIONS, { ...wanted, ...by })).body.data;
    assert.equal((await give('return_to_base', withId(id))).body.error.code, 'confirmation_required');
    const released = await give('release_emergency_stop', withId(id));
    assert.notEqual(released.body.error?.code, 'confirmation_required', released.text);
    await rover.leave();
  });

  test('at a terminal are given with the PIN of whoever has signed in, or of another', async () => {
    await policy('second_person');
    const [ada, bo] = [
      await signedIn(api, [{ role: 'operator' }]),
      await signedIn(api, [{ role: 'operator' }]),
    ];
    for (const one of [ada, bo]) {
      await one.ask('PUT', '/v1/me/pin', { current_password: PASSWORD, pin: '4071' });
    }
    const terminal = { name: 'Mill', kind: 'terminal', facilities: ['north'] };
    const { code } = (await api.post('/v1/terminals', terminal)).body.data;
    const cookie = cookieOf(await signIn(api, { code }));
    const ask = (method: string, path: string, body: object, more = {}) =>
      api.raw(method, path, {
        headers: { ...OWN_PAGE, cookie, 'content-type': 'application/json', ...more },
        body: JSON.stringify(body),
      });
    const body = { amount: 4 };
    const wanted = { action: 'operations.feed', device_id: silo.deviceId, body };
    const confirm = (by: object) => ask('POST', CONFIRMATIONS, { ...wanted, ...by });
    assert.equal(
      (await confirm({ login: bo.person.login, pin: '4071' })).status,
      403,
      'nobody has signed in',
    );
    await ask('PUT', '/v1/session/person', { login: ada.person.login, pin: '4071' });
    assert.equal((await confirm({ login: bo.person.login, pin: '4072' })).body.error.code, 'wrong_pin');
    // A second later the PIN is accepted; a busy machine may need that second.
    const early = await confirm({ login: bo.person.login, pin: '4071' });
    assert.ok(early.status === 200 || early.body.error.code === 'too_many_failed_logins', early.text);
    const { confirmation_id: id } = (await confirm({ login: bo.person.login, password: PASSWORD })).body.data;
    await ended(await ask('POST', feed(silo), body, withId(id)));
    await policy('pin');
    const own = (await confirm({ pin: '4071' })).body.data;
    assert.equal(own.confirmed_by.key_id, ada.person.person_id);
    await ended(await ask('POST', feed(silo), body, withId(own.confirmation_id)));
  });
});

const clock = { aheadMs: 0 };

describeRequests(
  'confirmations with time',
  (api) => {
    test('end after 60 seconds', async () => {
      const silo = await startSilo(api, 'late');
      await api.put(POLICY, { reconfirm: [{ facility: null, how: 'pin' }] });
      const ada = await signedIn(api, [{ role: 'operator' }]);
      const body = { amount: 1 };
      const wanted = { action: 'operations.feed', device_id: silo.deviceId, body, password: PASSWORD };
      const { confirmation_id: id } = (await ada.ask('POST', CONFIRMATIONS, wanted)).body.data;
      clock.aheadMs += MINUTE_MS + 1;
      const late = await ada.ask('POST', feed(silo), body, withId(id));
      assert.deepEqual(codeOf(late), ['confirmation_required', 'confirmation_has_ended']);
      await silo.leave();
    });
  },
  {},
  { now: () => Date.now() + clock.aheadMs },
);
