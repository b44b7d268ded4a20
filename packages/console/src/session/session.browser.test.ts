import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@granary/client';
import { checkAccessibility, DESK, PHONE, shownCode, signIn } from '@granary/testing/console/operator';
import { RunningSite } from '@granary/testing/console/running-site';
import { eventually } from '@granary/testing/server/eventually';

describe('the shell of the console in Chromium', () => {
  let site: RunningSite;

  before(async () => {
    site = await RunningSite.start();
  });
  after(() => site.stop());

  test('signs in by the printed link once, stays signed in, and signs out', async (t) => {
    const operator = await signIn(t, site);
    if (operator === null) return;
    const { page, record } = operator;
    await page.getByText('Live', { exact: true }).waitFor();
    assert.equal(new URL(page.url()).hash.includes('sign-in'), false);
    const kept = await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
    );
    assert.equal(String(kept).includes('gk_'), false);
    await page.reload();
    await page.getByText('Live', { exact: true }).waitFor();
    assert.deepEqual(record.faults, []);
    assert.deepEqual([...record.hosts], [new URL(site.url).host]);
    await page.getByLabel('Settings').click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key').waitFor();
    await page.reload();
    await page.getByLabel('API key').fill(site.apiKey);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Live', { exact: true }).waitFor();
  });

  test('lets an invited person choose a password, sign in with it, and act under their name', async (t) => {
    const administrator = await signIn(t, site);
    if (administrator === null) return;
    const { page } = administrator;
    await administrator.open('#/administration/people');
    await page.getByRole('button', { name: 'Invite person' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill('Ada Lovelace');
    await dialog.getByLabel('Name for signing in').fill('ada');
    await checkAccessibility(page);
    await dialog.getByRole('button', { name: 'Invite person' }).click();
    const link = (await dialog.locator('code').textContent()) ?? '';
    assert.match(link, /#invite=gi_/);
    await dialog.getByRole('img', { name: 'The link, for the camera of a phone' }).waitFor();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('cell', { name: 'Operator: starts, stops, acknowledges (everywhere)' }).waitFor();
    await page.getByLabel('Settings').click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    // There were no people when the page was loaded.
    await page.getByLabel('API key').waitFor();
    await page.reload();
    await page.getByLabel('Name for signing in').waitFor();
    await page.getByRole('button', { name: 'Use a key' }).click();
    await page.getByLabel('API key').waitFor();
    await page.goto('about:blank');
    await page.goto(link);
    await page.getByText('Welcome').waitFor();
    await checkAccessibility(page);
    await page.getByLabel('Choose a password').fill('four words of the barn');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByLabel('Settings: Ada Lovelace').click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Name for signing in').fill('Ada');
    await page.getByLabel('Password').fill('four words of the barn');
    await checkAccessibility(page);
    await page.keyboard.press('Enter');
    await page.getByLabel('Settings: Ada Lovelace').waitFor();
    await page.getByLabel('Settings: Ada Lovelace').click();
    await page.getByRole('link', { name: 'My page' }).click();
    await page.getByText('Operator: starts, stops, acknowledges (everywhere)').waitFor();
    await site.client.session.create({ login: 'ada', password: 'four words of the barn' });
    await page.reload();
    await page.getByRole('button', { name: 'End all others' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End all others' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'End all others' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Change password' }).click();
    await checkAccessibility(page);
    await dialog.getByLabel('Present password').fill('not this one');
    await dialog.getByLabel('New password').fill('five words of the old barn');
    await page.keyboard.press('Enter');
    await dialog.getByText(/present password is not right/).waitFor();
    await dialog.getByLabel('Present password').fill('four words of the barn');
    await page.keyboard.press('Enter');
    await page.getByText('The password is changed.').waitFor();
    await page.setViewportSize(PHONE);
    await checkAccessibility(page);
    await page.setViewportSize(DESK);
    const taken = Promise.withResolvers<URLSearchParams>();
    const command = createServer(async (request, response) => {
      assert.deepEqual([request.method, request.url], ['POST', '/']);
      taken.resolve(new URLSearchParams(await text(request)));
      response.writeHead(303, { location: `${site.url}/#/me` }).end();
    });
    const addresses: string[] = [];
    page.on('request', (request) => addresses.push(request.url()));
    command.listen(0, '127.0.0.1');
    await once(command, 'listening');
    t.after(() => command.close());
    const { port } = command.address() as AddressInfo;
    await administrator.open(`#/me?command=${port}.${'x'.repeat(32)}&on=%3Cb%3Elaptop`);
    await dialog.getByText(/A command on <b>laptop asks/).waitFor();
    await checkAccessibility(page);
    await dialog.getByRole('button', { name: 'Let it in' }).click();
    const given = await taken.promise;
    assert.equal(given.get('state'), 'x'.repeat(32));
    const asAda = createClient({ baseUrl: site.url, apiKey: given.get('key') ?? '' });
    assert.equal((await asAda.session.get()).name, 'Ada Lovelace');
    await page.getByRole('cell', { name: 'granary, <b>laptop', exact: true }).waitFor();
    assert.equal(page.url(), `${site.url}/#/me`);
    assert.ok(addresses.some((address) => address.startsWith(`http://127.0.0.1:${port}`)));
    assert.deepEqual(
      addresses.filter((address) => address.includes('gk_')),
      [],
    );
    await page.getByRole('button', { name: 'End the key for granary, <b>laptop' }).click();
    await dialog.getByRole('button', { name: 'End' }).click();
    await page.getByRole('cell', { name: 'granary, <b>laptop', exact: true }).waitFor({ state: 'detached' });
    await assert.rejects(asAda.session.get(), /401|not valid/);
    await administrator.open('#/devices/silo-05');
    await page.getByLabel('Amount').fill('5');
    await page.getByRole('button', { name: 'Feed 5 kg' }).click();
    await page.getByRole('region', { name: 'Operation under way' }).waitFor();
    await administrator.open('#/operations');
    await page
      .getByRole('cell', { name: /Ada Lovelace/ })
      .first()
      .waitFor();
  });

  test('asks for the code of a second factor, which a person sets up on their page on a phone', async (t) => {
    const operator = await signIn(t, site, { viewport: PHONE });
    if (operator === null) return;
    const { page } = operator;
    const grants = [{ role: 'viewer' as const }];
    const { code } = await site.client.people.invite({ login: 'dora', name: 'Dora', grants });
    const password = 'seven geese behind the hedge';
    await page.goto('about:blank');
    await page.goto(`${site.url}/#invite=${code}`);
    await page.getByLabel('Choose a password').fill(password);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByLabel('Settings: Dora').waitFor();
    await page.goto(`${site.url}/#/me`);
    await checkAccessibility(page);
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Set up second factor' }).click();
    await dialog.getByRole('img').waitFor();
    await checkAccessibility(page);
    const secret = (await dialog.locator('code').textContent()) ?? '';
    await dialog.getByLabel('Code that the app shows').fill(shownCode(secret));
    await dialog.getByLabel('Present password').fill(password);
    await page.keyboard.press('Enter');
    await dialog.getByText('Keep them where you find them').waitFor();
    const [recovery = ''] = ((await dialog.locator('code').textContent()) ?? '').split(' ');
    await checkAccessibility(page);
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByText('8 recovery codes are left').waitFor();
    await operator.open('#/overview');
    await page.getByLabel('Settings: Dora').click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Name for signing in').fill('dora');
    await page.getByLabel('Password').fill(password);
    await page.keyboard.press('Enter');
    await page.getByLabel('Code of your app, or a recovery code').waitFor();
    await checkAccessibility(page);
    await page.getByLabel('Code of your app, or a recovery code').fill('000000');
    await page.keyboard.press('Enter');
    await page.getByText('The password or the code is not right').waitFor();
    await page.getByLabel('Code of your app, or a recovery code').fill(recovery);
    await page.keyboard.press('Enter');
    await page.getByLabel('Settings: Dora').waitFor();
  });

  test('tells a person that somebody guesses, until they have seen it', async (t) => {
    const operator = await signIn(t, site);
    if (operator === null) return;
    const { page } = operator;
    const { client } = site;
    const grants = [{ role: 'viewer' as const }];
    const { code } = await client.people.invite({ login: 'emma', name: 'Emma', grants });
    await page.goto('about:blank');
    await page.goto(`${site.url}/#invite=${code}`);
    await page.getByLabel('Choose a password').fill('seven geese behind the hedge');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByLabel('Settings: Emma').waitFor();
    const guess = async (times: number): Promise<void> => {
      for (let n = 0; n < times; n++) {
        await assert.rejects(client.session.create({ login: 'emma', password: 'a guess' }), /not right/);
      }
    };
    const notice = page.getByRole('status', { name: 'Wrong ones given for you' });
    /** Nothing else in the overview asks for the name of the person. */
    const openAgain = async (): Promise<void> => {
      const told = page.waitForResponse(`${site.url}/v1/me`);
      await page.reload();
      await (await told).finished();
      await page.evaluate('new Promise(requestAnimationFrame)');
    };
    await guess(4);
    await openAgain();
    assert.equal(await notice.count(), 0, 'people type so many wrongly themselves');
    await guess(1);
    await openAgain();
    await notice.getByText('given for you: 5. They were refused.').waitFor();
    await checkAccessibility(page);
    await notice.getByRole('link', { name: 'Show' }).click();
    await page.getByRole('cell', { name: '127.0.0.1', exact: true }).first().waitFor();
    await notice.getByRole('button', { name: 'I have seen it' }).click();
    await notice.waitFor({ state: 'detached' });
    await operator.open('#/overview');
    await openAgain();
    assert.equal(await notice.count(), 0, 'it was seen');
  });

  test('adds a passkey and signs in with it under a name, and says why not at an address', async (t) => {
    const operator = await signIn(t, site);
    if (operator === null) return;
    const { page } = operator;
    const grants = [{ role: 'viewer' as const }];
    const { code } = await site.client.people.invite({ login: 'cleo', name: 'Cleo', grants });
    const password = 'seven geese behind the hedge';
    const named = site.url.replace('127.0.0.1', 'localhost');
    const browser = await page.context().newCDPSession(page);
    await browser.send('WebAuthn.enable');
    await browser.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    await page.goto(`${named}/#invite=${code}`);
    await page.getByLabel('Choose a password').fill(password);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByLabel('Settings: Cleo').waitFor();
    await page.goto(`${named}/#/me`);
    await page.getByRole('button', { name: 'Add passkey' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name of the passkey').fill('barn tablet');
    await dialog.getByLabel('Present password').fill(password);
    await checkAccessibility(page);
    await page.keyboard.press('Enter');
    await page.getByRole('cell', { name: 'barn tablet', exact: true }).waitFor();
    for (const _time of ['first', 'second']) {
      await page.getByLabel('Settings: Cleo').click();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
      await page.getByLabel('Settings: Cleo').waitFor();
    }
    await page.getByRole('button', { name: 'Remove the passkey barn tablet' }).click();
    await dialog.getByLabel('Present password').fill('not the password');
    await page.keyboard.press('Enter');
    await dialog.getByText(/password is not right/).waitFor();
    await checkAccessibility(page);
    await dialog.getByLabel('Present password').fill(password);
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('cell', { name: 'barn tablet', exact: true }).waitFor({ state: 'detached' });
    await page.getByLabel('Settings: Cleo').click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByRole('alert').waitFor();
    const again = await site.client.session.createCode();
    await page.goto(`${site.url}/#sign-in=${again.code}`);
    await page.getByRole('navigation', { name: 'Sections' }).waitFor();
    await page.getByLabel('Settings').click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Password').or(page.getByLabel('API key')).first().waitFor();
    assert.equal(await page.getByRole('button', { name: 'Sign in with a passkey' }).count(), 0);
  });

  test('asks who the person is once, and names them in the records', async (t) => {
    const operator = await signIn(t, site, { person: null });
    if (operator === null) return;
    const { page } = operator;
    const dialog = page.getByRole('dialog', { name: 'Who are you?' });
    await dialog.waitFor();
    await checkAccessibility(page);
    await dialog.getByLabel('Your name').fill('Cleo');
    await page.keyboard.press('Enter');
    await page.getByText('Live', { exact: true }).waitFor();
    await page.reload();
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByLabel('Settings: Cleo').waitFor();
    await operator.open('#/devices/silo-05');
    await page.getByLabel('Amount').fill('5');
    await page.getByRole('button', { name: 'Feed 5 kg' }).click();
    await page.getByRole('region', { name: 'Operation under way' }).waitFor();
    await operator.open('#/operations');
    await page.getByRole('cell', { name: /^Cleo · / }).waitFor();
    await operator.open('#/administration/audit');
    await page
      .getByRole('cell', { name: /^Cleo · / })
      .first()
      .waitFor();
  });

  test('asks who the person is over the view, offers the name that the link brings, and takes what is typed', async (t) => {
    for (const [typed, kept] of [
      ['', 'Zoë Mill'],
      ['Cleo', 'Cleo'],
    ] as const) {
      const operator = await signIn(t, site, { person: null, accountName: 'Zoë Mill' });
      if (operator === null) return;
      const { page } = operator;
      const dialog = page.getByRole('dialog', { name: 'Who are you?' });
      await dialog.waitFor();
      // The first view can be read while the person is asked.
      const device = page.getByRole('heading', { name: 'Calf starter' });
      await device.waitFor();
      const [asked, shown] = [await dialog.boundingBox(), await device.boundingBox()];
      assert.ok(asked !== null && shown !== null && shown.y + shown.height <= asked.y);
      const name = dialog.getByLabel('Your name');
      await eventually(() => name.evaluate((input) => document.activeElement === input), true);
      assert.equal(await name.inputValue(), 'Zoë Mill');
      // The suggested name is selected, so that typing replaces it.
      await page.keyboard.type(typed);
      await page.keyboard.press('Enter');
      await dialog.waitFor({ state: 'detached' });
      await page.getByLabel(`Settings: ${kept}`).waitFor();
      assert.doesNotMatch(page.url(), /name/);
    }
  });

  test('closes the menu with Escape, with a press elsewhere and when another view opens', async (t) => {
    const operator = await signIn(t, site);
    if (operator === null) return;
    const { page } = operator;
    const open = page.locator('.settings-menu[open]');
    const leaves = [
      () => page.keyboard.press('Escape'),
      () => page.mouse.click(500, 600),
      () => page.evaluate("location.hash = '#/alerts'"),
    ];
    for (const leave of leaves) {
      await page.getByLabel('Settings').click();
      await open.waitFor();
      await leave();
      await open.waitFor({ state: 'detached' });
    }
  });

  test('says what to do when the link was used already', async (t) => {
    const operator = await signIn(t, site);
    if (operator === null) return;
    const { page } = operator;
    await page.context().clearCookies();
    await page.goto('about:blank');
    await page.goto(`${site.url}/#sign-in=used-already`);
    await page.getByText(/This link has been used already/).waitFor();
  });

  for (const [viewport, colorScheme] of [
    [DESK, 'dark'],
    [PHONE, 'light'],
  ] as const) {
    test(`has no serious fault of accessibility: ${viewport.width} px wide, ${colorScheme}`, async (t) => {
      const operator = await signIn(t, site, { viewport, colorScheme });
      if (operator === null) return;
      await operator.page.getByText('Live', { exact: true }).waitFor();
      await checkAccessibility(operator.page);
      assert.equal(await operator.page.evaluate('document.documentElement.scrollWidth'), viewport.width);
    });
  }

  test('offers only what the key allows, and ends with it', async (t) => {
    const { key, key_id } = await site.client.keys.create({ name: 'display', scopes: ['read'] });
    const operator = await signIn(t, site, { apiKey: key });
    if (operator === null) return;
    const { page } = operator;
    await page.getByText('Live', { exact: true }).waitFor();
    await operator.open('#/devices/silo-01?tab=administration');
    await page.getByText('GS-12').or(page.getByText('silo-01')).first().waitFor();
    await page.getByRole('link', { name: 'Connection' }).waitFor();
    const refused = /^(Feed|Discharge|Acknowledge|Edit|Replace|Remove)/;
    assert.equal(await page.getByRole('button', { name: refused }).count(), 0);
    await site.client.keys.revoke(key_id);
    await page.getByText('Your session has ended. Sign in again.').waitFor();
  });

  test('shows the right ages on a machine whose clock is ten minutes wrong', async (t) => {
    for (const clockAheadMs of [600_000, -600_000]) {
      const operator = await signIn(t, site, { clockAheadMs });
      if (operator === null) return;
      await operator.open('#/devices/silo-01');
      const lastSeen = operator.page.getByText(/Last seen \d+\ss/);
      await lastSeen.waitFor();
      assert.match((await lastSeen.textContent()) ?? '', /Last seen \d{1,2}\ss/);
    }
  });

  test('stops although the streams of several pages have all connections of the browser', async (t) => {
    const operator = await signIn(t, site);
    if (operator === null) return;
    const { page } = operator;
    await page.getByText('Live', { exact: true }).waitFor();
    const { operation_id } = await site.client.operations.discharge('silo-02', {
      amount: 400,
      target_container: 'truck 12',
    });
    const stop = page.getByRole('button', { name: 'Stop Calf starter' });
    await stop.waitFor();
    for (const _ of ['second', 'third']) {
      const other = await page.context().newPage();
      await other.goto(site.url);
      await other.getByText('Live', { exact: true }).waitFor();
    }
    await stop.click();
    for (;;) {
      const { status } = await site.client.operations.get('silo-02', operation_id);
      if (status === 'stopped') return;
      assert.ok(status === 'started' || status === 'in_progress' || status === 'stopping', status);
      await sleep(100);
    }
  });

  test('loses the service and recovers without a reload', async (t) => {
    const operator = await signIn(t, site);
    if (operator === null) return;
    const { page } = operator;
    await page.getByText('Live', { exact: true }).waitFor();
    await operator.open('#/alerts');
    await page.getByRole('heading', { name: 'Alerts', level: 1 }).waitFor();
    await operator.open('#/devices/silo-03');
    await site.client.operations.feed('silo-03', { amount: 400 });
    const stops = page.getByRole('button', { name: 'Stop Sow feed' });
    await stops.nth(1).waitFor();
    await site.killService();
    await page.getByText(/Not live since/).waitFor();
    await page.getByText('Everything below is as it was then.').waitFor();
    const [bar, line] = [page.locator('.alarm-bar.lost'), page.locator('.lost-line')];
    assert.ok(((await line.boundingBox())?.width ?? 0) > ((await bar.boundingBox())?.width ?? 0) * 0.9);
    for (const value of await page.locator('.device-vessel .measured').all()) {
      assert.match((await value.getAttribute('class')) ?? '', /stale/);
      await value.locator('time').waitFor();
    }
    await checkAccessibility(page);
    await page.locator('.device-status .last-known').getByText('Online').waitFor();
    await page.locator('.device-running .last-known').first().waitFor();
    await stops.first().click();
    await page.getByText('The stop has not reached the service yet').nth(1).waitFor();
    await operator.open('#/overview');
    await page.getByText('Not known: this page is not live.').waitFor();
    for (const view of ['#/overview', '#/alerts']) {
      await operator.open(view);
      await checkAccessibility(page);
    }
    await operator.open('#/overview');
    assert.equal(await page.locator('.overview-counts .last-known').count(), 3);
    await site.startAgain();
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByText('Not known: this page is not live.').waitFor({ state: 'hidden' });
    await eventually(async () => (await site.client.operations.list('silo-03')).data[0]?.status, 'stopped');
  });
});
