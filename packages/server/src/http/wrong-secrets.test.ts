import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { WrongSecrets } from '@granary/contract/me';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@granary/contract/time';
import { TestClock } from '@granary/testing/server/clock';
import { eventually } from '@granary/testing/server/eventually';
import { MailServer } from '@granary/testing/server/mail-server';
import { cookieOf, OWN_PAGE, PASSWORD, signedIn, signIn } from '@granary/testing/server/people';
import { type Api, describeService } from '@granary/testing/server/service';

const ELSEWHERE = '198.51.100.7';
const HOME = '192.0.2.10';
const clock = new TestClock();
const mail = await new MailServer().start();
after(() => mail.stop());

const enter = (api: Api, address: string, login: string, password: string) =>
  api.raw('POST', '/v1/session', {
    headers: { ...OWN_PAGE, 'x-forwarded-for': address, 'content-type': 'application/json' },
    body: JSON.stringify({ login, password }),
  });

describeService(
  'wrong secrets of a person',
  (api) => {
    before(() => clock.hold());
    after(() => clock.reset());

    async function attacked() {
      const { person, ask } = await signedIn(api, [{ role: 'operator' }]);
      const { login, person_id: id } = person;
      const email = `${login}@farm.example`;
      const changed = await api.raw('PATCH', `/v1/people/${id}`, {
        headers: { authorization: `Bearer ${api.started.adminKey.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ email }),
      });
      assert.equal(changed.status, 200, changed.text);
      const wrong = async (): Promise<WrongSecrets[]> => (await ask('GET', '/v1/me')).body.data.wrong_secrets;
      const written = async (): Promise<number> =>
        (await api.get('/v1/notifications?limit=1000')).body.data.filter(
          ({ target }: { target: { email?: string } }) => target.email === email,
        ).length;
      // Equal texts count once, because a mail that was not sent in time by the clock of this test is sent again.
      const mails = async (): Promise<number> =>
        new Set(mail.received.filter(({ to }) => to.includes(email)).map(({ text }) => text)).size;
      return { id: id as string, login: login as string, ask, wrong, mails, written };
    }

    test('are told on the own page and in the audit log, with where they came from', async () => {
      const ada = await attacked();
      const set = await ada.ask('PUT', '/v1/me/pin', { current_password: PASSWORD, pin: '4071' });
      assert.equal(set.status, 200);
      assert.deepEqual(await ada.wrong(), []);
      for (let n = 0; n < 4; n++) await enter(api, ELSEWHERE, ada.login, 'guess');
      clock.pass(MINUTE_MS);
      const wanted = { name: 'Mill, door', kind: 'terminal', facilities: ['north'] };
      const { code } = (await api.post('/v1/terminals', wanted)).body.data;
      const headers = {
        ...OWN_PAGE,
        cookie: cookieOf(await signIn(api, { code })),
        'content-type': 'application/json',
      };
      const body = JSON.stringify({ login: ada.login, pin: '4072' });
      await api.raw('PUT', '/v1/session/person', { headers, body });
      const told = (await ada.wrong()).map(({ kind, from, count }) => [kind, from, count]);
      assert.deepEqual(told, [
        ['pin', 'Mill, door', 1],
        ['password', '198.51.100.0/24', 4],
      ]);
      const entries = (await api.get('/v1/audit?action=session.create')).body.data;
      const refused = entries.filter(
        (one: { result: string; input: unknown }) =>
          one.result === 'refused' && JSON.stringify(one.input).includes(ada.login),
      );
      assert.ok(refused.length > 0, 'the audit log has them');
    });

    test('that people type themselves are not told, after they have signed in from there', async () => {
      const ada = await attacked();
      await enter(api, HOME, ada.login, 'mistyped');
      await enter(api, ELSEWHERE, ada.login, 'guess');
      assert.equal((await enter(api, HOME, ada.login, PASSWORD)).status, 200);
      assert.deepEqual(
        (await ada.wrong()).map(({ from }) => from),
        ['198.51.100.0/24'],
      );
      for (let n = 0; n < 6; n++) await enter(api, HOME, ada.login, 'guess');
      clock.pass(MINUTE_MS);
      assert.equal((await enter(api, HOME, ada.login, PASSWORD)).status, 200);
      assert.deepEqual(
        (await ada.wrong()).map(({ from, count }) => [from, count]),
        [
          [HOME, 6],
          ['198.51.100.0/24', 1],
        ],
      );
    });

    test('are mailed once a day, however many there are', async () => {
      const ada = await attacked();
      const guess = async (times: number) => {
        for (let n = 0; n < times; n++) {
          await enter(api, ELSEWHERE, ada.login, 'guess');
          clock.pass(MINUTE_MS);
        }
      };
      await guess(9);
      assert.equal(await ada.written(), 0);
      await guess(1);
      await eventually(ada.mails, 1);
      await guess(5);
      clock.pass(HOUR_MS);
      await guess(1);
      assert.equal(await ada.written(), 1);
      clock.pass(DAY_MS);
      await guess(1);
      assert.equal(await ada.written(), 2);
    });

    test('of a name that nobody has are told nobody', async () => {
      const ada = await attacked();
      for (let n = 0; n < 3; n++) await enter(api, ELSEWHERE, 'nobody-at-all', 'guess');
      assert.deepEqual(await ada.wrong(), []);
    });
  },
  {
    GRANARY_TRUSTED_PROXIES: '127.0.0.1, ::1',
    GRANARY_SMTP_URL: mail.url,
    GRANARY_MAIL_FROM: 'Granary <granary@farm.example>',
  },
  { now: clock.now },
);
