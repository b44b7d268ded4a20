import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { SECOND_MS } from '@granary/contract/time';
import { describeEachEngine } from '@granary/testing/app/engines';
import { TestClock } from '@granary/testing/server/clock';
import { OWN_PAGE, PASSWORD, signedIn } from '@granary/testing/server/people';
import { type Answer, type Api, describeService, withService } from '@granary/testing/server/service';

const OPERATOR = [{ role: 'operator' }];
const HOME = '192.0.2.10';
/** An address in another network, in which nobody has ever signed in. */
const AWAY = '203.0.113.9';
const AT_ONCE = 8;
/** With these settings a header of each request names the address that counts. */
const BEHIND_PROXY = { GRANARY_TRUSTED_PROXIES: '127.0.0.1, ::1' };

const clock = new TestClock();

const enter = (api: Api, address: string, login: string, password: string): Promise<Answer> =>
  api.raw('POST', '/v1/session', {
    headers: { ...OWN_PAGE, 'x-forwarded-for': address, 'content-type': 'application/json' },
    body: JSON.stringify({ login, password }),
  });

const codeOf = ({ body }: Answer): string => body.error?.code ?? 'in';

const count = (codes: readonly string[], code: string): number => codes.filter((one) => one === code).length;

/**
 * Guesses a password from this many networks, each of which has many addresses. Few guesses run at once, because on a busy
 * machine others would be too late.
 */
async function attack(api: Api, login: string, networks: number, round = 0): Promise<string[]> {
  const guess = async (n: number): Promise<string> => {
    const from = `10.${n >> 8}.${n & 255}.${round % 250}`;
    for (;;) {
      const code = codeOf(await enter(api, from, login, `guess ${n} of ${round}`));
      // The password was not checked, because the machine is busy.
      if (code !== 'rate_limited') return code;
    }
  };
  const codes: string[] = [];
  for (let from = 0; from < networks; from += AT_ONCE) {
    const guesses = Array.from({ length: Math.min(AT_ONCE, networks - from) }, (_, n) => guess(from + n));
    codes.push(...(await Promise.all(guesses)));
  }
  return codes;
}

/** Makes a person who has signed in at home, and returns the name. */
async function atHome(api: Api): Promise<string> {
  const { person } = await signedIn(api, OPERATOR);
  assert.equal(codeOf(await enter(api, HOME, person.login, PASSWORD)), 'in');
  return person.login;
}

describeService(
  'guessed passwords',
  (api) => {
    before(() => clock.hold());
    after(() => clock.reset());

    test('from 40 networks for minutes keep nobody out, wherever they are', async () => {
      const login = await atHome(api);
      for (let round = 0; round < 5; round++) {
        await attack(api, login, 40, round);
        clock.pass(15 * SECOND_MS);
      }
      assert.equal(codeOf(await enter(api, AWAY, login, PASSWORD)), 'in', 'from an unused address, at once');
      assert.equal(codeOf(await enter(api, HOME, login, PASSWORD)), 'in', 'from home');
    });

    test('in the network of a person keep out nobody at another address there', async () => {
      const login = await atHome(api);
      const near = (n: number) => enter(api, `192.0.2.${100 + n}`, login, `guess ${n}`);
      const codes = (await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => near(n)))).map(codeOf);
      for (let n = 0; n < 12; n++) codes.push(codeOf(await near(0)));
      assert.ok(count(codes, 'unauthorized') > 0);
      assert.equal(codes.at(-1), 'too_many_failed_logins', 'each address waits for itself');
      assert.equal(codeOf(await enter(api, HOME, login, PASSWORD)), 'in');
    });

    test('for a name that nobody has are answered like those of a person', async () => {
      const [login, nobody] = [await atHome(api), 'nobody-at-all'];
      const answered = async (name: string): Promise<string[]> => {
        const codes: string[] = [];
        for (let n = 0; n < 9; n++) codes.push(codeOf(await enter(api, '198.51.100.7', name, 'guess')));
        return codes;
      };
      assert.deepEqual(await answered(nobody), await answered(login));
    });
  },
  BEHIND_PROXY,
  { now: clock.now },
);

describeEachEngine('guessed passwords, before and after a restart,', (engine) => {
  const folders: string[] = [];
  before(() => clock.hold());
  after(async () => {
    clock.reset();
    await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
  });

  test('are bounded for all networks together, let people in at home, and go on being counted', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'granary-test-'));
    folders.push(folder);
    const env = {
      ...BEHIND_PROXY,
      GRANARY_DATA_DIR: folder,
      GRANARY_DATABASE_URL: engine.location.engine === 'postgres' ? engine.location.url : '',
    };
    const run = <T>(work: (api: Api) => Promise<T>): Promise<T> => withService(env, { now: clock.now }, work);
    const login = await run(async (api) => {
      const login = await atHome(api);
      const codes = await attack(api, login, 120);
      assert.equal(count(codes, 'unauthorized'), 100, `of all networks together: ${codes}`);
      return login;
    });
    await run(async (api) => {
      const codes = await attack(api, login, 20, 1);
      assert.equal(count(codes, 'too_many_failed_logins'), 20, 'those that failed leave the room to others');
      const late = await enter(api, AWAY, login, PASSWORD);
      assert.equal(codeOf(late), 'too_many_failed_logins', 'before there is room again');
      assert.ok(Number(late.headers.get('retry-after')) <= 10);
      const home = [HOME, '192.0.2.77'].map((address) => enter(api, address, login, PASSWORD));
      assert.deepEqual((await Promise.all(home)).map(codeOf), ['in', 'in'], 'the whole network');
      clock.pass(10 * SECOND_MS);
      await attack(api, login, 20, 2);
      assert.equal(codeOf(await enter(api, AWAY, login, PASSWORD)), 'in', 'when there is room for one');
    });
  });
});
