import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '@granary/contract/time';
import { TestClock } from '@granary/testing/server/clock';
import { cookieOf, OWN_PAGE, PASSWORD, signedIn, signIn } from '@granary/testing/server/people';
import { type Answer, type Api, describeService, siloNamed } from '@granary/testing/server/service';
import { fromBase32, totp } from '../process/keys/second-factor.ts';

const OPERATOR = [{ role: 'operator' }];
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const STEP_MS = 30 * SECOND_MS;
const PIN = '4071';
/** Addresses of places where the people have never signed in, and from which attackers come. */
const AWAY = '203.0.113.9';
const ELSEWHERE = '198.51.100.7';
/** With these settings a header of each request names the address that counts. */
const BEHIND_PROXY = { GRANARY_TRUSTED_PROXIES: '127.0.0.1, ::1' };

const clock = new TestClock();

const at = (address: string) => ({ ...OWN_PAGE, 'x-forwarded-for': address });

const sendTo = (api: Api, method: string, path: string, body: object, headers: Record<string, string>) =>
  api.raw(method, path, {
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

const signInFrom = (api: Api, address: string, body: object): Promise<Answer> =>
  sendTo(api, 'POST', '/v1/session', body, at(address));

const codeOf = ({ body }: Answer): string => body.error?.code ?? 'in';

const count = (codes: readonly string[], code: string): number => codes.filter((one) => one === code).length;

/** The code that the app shows this many steps ahead. */
const shown = (ahead = 0): string => totp(fromBase32(SECRET), Math.floor(clock.now() / STEP_MS) + ahead);

/** Codes of six digits that are not valid now. */
function* wrongCodes(): Generator<string, never> {
  for (let number = 0; ; number = (number + 1) % 1_000_000) {
    const code = String(number).padStart(6, '0');
    if (![-2, -1, 0, 1, 2].some((ahead) => shown(ahead) === code)) yield code;
  }
}

async function withFactor(api: Api, grants: object[] = OPERATOR) {
  clock.pass(2 * MINUTE_MS);
  const person = await signedIn(api, grants);
  const body = { current_password: PASSWORD, secret: SECRET, code: shown() };
  const set = await person.ask('PUT', '/v1/me/second-factor', body);
  assert.equal(set.status, 200, set.text);
  clock.pass(2 * MINUTE_MS);
  return {
    ...person,
    login: person.person.login as string,
    recovery: set.body.data.recovery_codes as string[],
  };
}

async function withPin(api: Api) {
  const one = await signedIn(api, OPERATOR);
  const set = await one.ask('PUT', '/v1/me/pin', { current_password: PASSWORD, pin: PIN });
  assert.equal(set.status, 200, set.text);
  return { ...one, login: one.person.login as string };
}

async function terminalOf(api: Api) {
  const wanted = { name: 'Mill, door', kind: 'terminal', facilities: ['north'] };
  const { terminal, code } = (await api.post('/v1/terminals', wanted)).body.data;
  const headers = { ...OWN_PAGE, cookie: cookieOf(await signIn(api, { code })) };
  const enter = (login: string, secret: object) =>
    sendTo(api, 'PUT', '/v1/session/person', { login, ...secret }, headers);
  return { id: terminal.terminal_id as string, enter };
}

describeService(
  'guessed codes of a second factor',
  (api) => {
    before(async () => {
      clock.hold();
      await api.post('/v1/siloscale/devices', siloNamed('north-1', 'north'));
    });
    after(() => clock.reset());
    const wanted = { action: 'operations.feed', device_id: 'north-1', body: { amount: 1 } };

    test('are counted for themselves: a right password alone, wherever it is given, makes none forgotten', async () => {
      const { login } = await withFactor(api);
      const viewer = await signedIn(api, [{ role: 'viewer' }]);
      const terminal = await terminalOf(api);
      const guess = wrongCodes();
      const codes: string[] = [];
      for (let round = 0; round < 12; round++) {
        for (let n = 0; n < 5; n++) {
          const second_factor = guess.next().value;
          codes.push(codeOf(await signInFrom(api, AWAY, { login, password: PASSWORD, second_factor })));
          clock.pass(MINUTE_MS);
        }
        await viewer.ask('POST', '/v1/confirmations', { ...wanted, login, password: PASSWORD });
        await terminal.enter(login, { password: PASSWORD });
      }
      assert.ok(count(codes, 'unauthorized') <= 20, `${count(codes, 'unauthorized')} were looked at`);
      assert.equal(codes.at(-1), 'too_many_failed_logins');
    });

    test('are counted over every way in, and at most 20 are looked at of many that come at once', async () => {
      const { login } = await withFactor(api);
      const viewer = await signedIn(api, [{ role: 'viewer' }]);
      const terminal = await terminalOf(api);
      const guess = wrongCodes();
      const secret = () => ({ password: PASSWORD, second_factor: guess.next().value });
      const ways = [
        (n: number) => signInFrom(api, `198.51.${n}.1`, { login, ...secret() }),
        () => viewer.ask('POST', '/v1/confirmations', { ...wanted, login, ...secret() }),
        () => terminal.enter(login, secret()),
      ];
      const answers = await Promise.all(
        Array.from({ length: 90 }, (_, n) => ways[n % ways.length]?.(n) ?? signIn(api, {})),
      );
      const codes = answers.map(codeOf);
      for (let n = 0; n < 75; n++) {
        clock.pass(MINUTE_MS);
        codes.push(codeOf(await (ways[n % ways.length]?.(250) ?? signIn(api, {}))));
      }
      const looked = codes.filter((code) => ['unauthorized', 'wrong_code'].includes(code)).length;
      // The terminal and the browser of the viewer are in a network in which the person has signed in before.
      assert.ok(looked > 0 && looked <= 40, `${looked} were looked at`);
      assert.deepEqual(new Set(codes.slice(-3)), new Set(['too_many_failed_logins']));
    });

    test('keep out nobody who has the right one where they have signed in before, or a recovery code', async () => {
      const { login, recovery } = await withFactor(api);
      const home = '192.0.2.10';
      const enter = (address: string, second_factor: string) =>
        signInFrom(api, address, { login, password: PASSWORD, second_factor });
      assert.equal(codeOf(await enter(home, shown())), 'in');
      const guess = wrongCodes();
      for (let n = 0; n < 40; n++) {
        await enter(`198.51.${n}.1`, guess.next().value);
        clock.pass(MINUTE_MS);
      }
      assert.equal(codeOf(await enter(AWAY, shown())), 'too_many_failed_logins');
      assert.equal(codeOf(await enter('192.0.2.77', shown())), 'in', 'the same network');
      assert.equal(codeOf(await enter(AWAY, recovery[0] ?? '')), 'in');
      clock.pass(2 * MINUTE_MS);
      assert.equal(codeOf(await enter(AWAY, shown())), 'in', 'which has made this network known');
      assert.equal(codeOf(await enter(ELSEWHERE, shown(1))), 'too_many_failed_logins');
      clock.pass(DAY_MS);
      assert.equal(codeOf(await enter(ELSEWHERE, shown())), 'in', 'a day later');
    });

    test('are asked for at a terminal and of a second person, too, where the password is given', async () => {
      const { login } = await withFactor(api);
      const viewer = await signedIn(api, [{ role: 'viewer' }]);
      const terminal = await terminalOf(api);
      const confirm = (secret: object) =>
        viewer.ask('POST', '/v1/confirmations', { ...wanted, login, ...secret });
      assert.equal(codeOf(await terminal.enter(login, { password: PASSWORD })), 'second_factor_required');
      assert.equal(codeOf(await confirm({ password: PASSWORD })), 'second_factor_required');
      const second_factor = shown();
      const both = await Promise.all([
        terminal.enter(login, { password: PASSWORD, second_factor }),
        terminal.enter(login, { password: PASSWORD, second_factor }),
      ]);
      assert.deepEqual(both.map(codeOf).sort(), ['in', 'wrong_code'], 'each code counts once');
      assert.equal(codeOf(await confirm({ password: PASSWORD, second_factor })), 'wrong_code');
      clock.pass(2 * MINUTE_MS);
      assert.equal(codeOf(await confirm({ password: PASSWORD, second_factor: shown() })), 'in');
    });

    test('are not asked of whoever confirms in the own session', async () => {
      const { ask } = await withFactor(api);
      const own = await ask('POST', '/v1/confirmations', { ...wanted, password: PASSWORD });
      assert.equal(own.status, 200, own.text);
    });
  },
  BEHIND_PROXY,
  { now: clock.now },
);

describeService(
  'guessed PINs',
  (api) => {
    before(() => clock.hold());
    after(() => clock.reset());

    /** Sends five guesses at each of these terminals, and returns the error codes. */
    async function guessAt(terminals: readonly Awaited<ReturnType<typeof terminalOf>>[], login: string) {
      const codes: string[] = [];
      for (let n = 0; n < 5; n++) {
        const answers = await Promise.all(terminals.map(({ enter }) => enter(login, { pin: '4072' })));
        codes.push(...answers.map(codeOf));
        clock.pass(20 * SECOND_MS);
      }
      return codes;
    }

    const terminals = (number: number) => Promise.all(Array.from({ length: number }, () => terminalOf(api)));

    test('are counted by person over all terminals, also when these are ended and others are enrolled', async () => {
      const { login } = await withPin(api);
      const codes: string[] = [];
      for (let round = 0; round < 3; round++) {
        const own = await terminals(8);
        codes.push(...(await guessAt(own, login)));
        for (const { id } of own) assert.equal((await api.post(`/v1/terminals/${id}/end`)).status, 200);
      }
      assert.ok(count(codes, 'wrong_pin') <= 20, `${count(codes, 'wrong_pin')} were looked at`);
      clock.pass(30 * DAY_MS);
      const later = await terminalOf(api);
      assert.equal(codeOf(await later.enter(login, { pin: PIN })), 'password_required');
    });

    test('keep nobody out: the password counts, and from then on the PIN at that terminal', async () => {
      const { login } = await withPin(api);
      const [own, other] = await terminals(2);
      if (own === undefined || other === undefined) throw new Error('two terminals');
      await guessAt(await terminals(8), login);
      assert.equal(codeOf(await own.enter(login, { pin: PIN })), 'password_required');
      assert.equal(codeOf(await own.enter(login, { password: PASSWORD })), 'in');
      assert.equal(codeOf(await own.enter(login, { pin: PIN })), 'in');
      assert.equal(codeOf(await other.enter(login, { pin: PIN })), 'password_required');
      await guessAt(await terminals(8), login);
      assert.equal(codeOf(await own.enter(login, { pin: PIN })), 'in', 'a known terminal counts for itself');
      for (let n = 0; n < 5; n++) {
        await own.enter(login, { pin: '4072' });
        clock.pass(20 * SECOND_MS);
      }
      assert.equal(codeOf(await own.enter(login, { pin: PIN })), 'password_required');
    });

    test('count anew for a new PIN, and a right one makes only those at its terminal forgotten', async () => {
      const { login, ask } = await withPin(api);
      const own = await terminalOf(api);
      await guessAt(await terminals(3), login);
      for (let n = 0; n < 4; n++) {
        assert.equal(codeOf(await own.enter(login, { pin: '4072' })), 'wrong_pin');
        clock.pass(20 * SECOND_MS);
      }
      assert.equal(codeOf(await own.enter(login, { pin: PIN })), 'in');
      await guessAt(await terminals(2), login);
      assert.equal(codeOf(await own.enter(login, { pin: PIN })), 'password_required');
      const set = await ask('PUT', '/v1/me/pin', { current_password: PASSWORD, pin: '90210' });
      assert.equal(set.status, 200, set.text);
      assert.equal(codeOf(await own.enter(login, { pin: '90210' })), 'in');
    });

    test('that come at once at many terminals are looked at 20 times', async () => {
      const { login } = await withPin(api);
      const own = await terminals(30);
      const answers = await Promise.all(
        own.flatMap(({ enter }) => [enter(login, { pin: '4072' }), enter(login, { pin: '4073' })]),
      );
      assert.ok(count(answers.map(codeOf), 'wrong_pin') <= 20);
    });
  },
  {},
  { now: clock.now },
);
