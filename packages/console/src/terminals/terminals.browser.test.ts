import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { checkAccessibility, DESK, PHONE, signIn } from '@granary/testing/console/operator';
import { RunningSite } from '@granary/testing/console/running-site';
import { openBrowser, PageRecord } from '@granary/testing/server/browser';
import { eventually } from '@granary/testing/server/eventually';

const PASSWORD = 'four geese behind the barn';
const OWN_PAGE = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };
const TABLET = { width: 1_024, height: 768 };

describe('terminals in Chromium', () => {
  let site: RunningSite;
  let facilities: string[] = [];

  before(async () => {
    site = await RunningSite.start();
    const { data } = await site.client.fleet.devices();
    facilities = [...new Set(data.map(({ location }) => location.facility))];
    for (const [login, name] of [
      ['ada', 'Ada Lovelace'],
      ['bo', 'Bo Karlsson'],
    ] as const) {
      const grants = [{ role: 'operator' as const }];
      const { code } = await site.client.people.invite({ login, name, grants });
      const answer = await fetch(`${site.url}/v1/session`, {
        method: 'POST',
        headers: OWN_PAGE,
        body: JSON.stringify({ invite: code, password: PASSWORD }),
      });
      const cookie = answer.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
      const body = JSON.stringify({ current_password: PASSWORD, pin: '4071' });
      await fetch(`${site.url}/v1/me/pin`, { method: 'PUT', headers: { ...OWN_PAGE, cookie }, body });
    }
  });
  after(() => site.stop());

  async function open(
    t: Parameters<typeof openBrowser>[0],
    kind: 'terminal' | 'display',
    viewport = TABLET,
    locale = 'en-GB',
  ) {
    const context = await openBrowser(t, { viewport, colorScheme: 'light', locale });
    if (context === null) return null;
    const page = await context.newPage();
    const record = new PageRecord(page);
    const { code } = await site.client.terminals.enrol({ name: 'Mill, door', kind, facilities });
    await page.goto(`${site.url}/#sign-in=${code}`);
    return { page, record };
  }

  test('are added in the administration, with a link that opens them', async (t) => {
    const administrator = await signIn(t, site);
    if (administrator === null) return;
    const { page } = administrator;
    await administrator.open('#/administration/terminals');
    await page.getByRole('button', { name: 'Add terminal or display' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill('Yard');
    await dialog.getByRole('checkbox').first().check();
    await checkAccessibility(page);
    await dialog.getByRole('button', { name: 'Add terminal or display' }).click();
    assert.match((await dialog.locator('code').textContent()) ?? '', /#sign-in=gc_/);
    await dialog.getByRole('img', { name: 'The link, for the camera of a tablet' }).waitFor();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('cell', { name: 'Not opened yet' }).first().waitFor();
    await page.getByRole('button', { name: 'End Yard' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End', exact: true }).click();
    await page.getByRole('cell', { name: 'Ended' }).first().waitFor();
  });

  test('show everything while locked and stop; people sign in over the running view and leave again', async (t) => {
    const terminal = await open(t, 'terminal');
    if (terminal === null) return;
    const { page, record } = terminal;
    const bar = page.getByRole('region', { name: 'Terminal' });
    await bar.getByText('Locked: anybody can look and stop').waitFor();
    await page.goto(`${site.url}/#/devices/silo-05`);
    await page.getByText('Live', { exact: true }).waitFor();
    assert.equal(await page.getByLabel('Amount').count(), 0);
    await checkAccessibility(page);
    await page.evaluate('window.isSame = true');
    await bar.getByRole('button', { name: 'Sign in' }).click();
    const dialog = page.getByRole('dialog');
    await checkAccessibility(page);
    await dialog.getByRole('button', { name: 'Ada Lovelace' }).click();
    for (const digit of '4072') await dialog.getByRole('button', { name: `Digit ${digit}` }).click();
    await checkAccessibility(page);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await dialog.getByText(/The PIN is not right/i).waitFor();
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    for (const digit of '4071') await dialog.getByRole('button', { name: `Digit ${digit}` }).click();
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await bar.getByText('Ada Lovelace').waitFor();
    await page.getByLabel('Amount').fill('400');
    await page.getByRole('button', { name: 'Feed 400 kg' }).click();
    await page.getByRole('region', { name: 'Operation under way' }).waitFor();
    await bar.getByRole('button', { name: 'Change shift' }).click();
    await dialog.getByRole('button', { name: 'Bo Karlsson' }).click();
    await page.keyboard.type('4071');
    await page.keyboard.press('Enter');
    await bar.getByText('Bo Karlsson').waitFor();
    await bar.getByRole('button', { name: 'Lock' }).click();
    await bar.getByText('Locked: anybody can look and stop').waitFor();
    assert.equal(await page.evaluate('window.isSame'), true, 'the page was not loaded again');
    await page
      .getByRole('button', { name: /^Stop / })
      .first()
      .click();
    await eventually(async () => (await site.client.operations.list('silo-05')).data[0]?.status, 'stopped');
    const [stopped] = (await site.client.audit.list({ action: 'operations.stop' })).data;
    assert.equal(stopped?.actor?.key_name, 'Mill, door');
    assert.equal(stopped?.actor?.terminal?.key_id, stopped?.actor?.key_id);
    await page.getByLabel(/Settings/).click();
    assert.equal(await page.getByRole('button', { name: 'Sign out' }).count(), 0);
    await page.reload();
    await bar.getByText('Locked: anybody can look and stop').waitFor();
    // The browser logs the refusal of the wrong PIN.
    assert.deepEqual(
      record.faults.filter((fault) => !fault.includes('403')),
      [],
    );
  });

  test('ask for a confirmation where the facility wants one', async (t) => {
    const terminal = await open(t, 'terminal');
    if (terminal === null) return;
    const { page } = terminal;
    await site.client.signOn.putPolicy({ reconfirm: [{ facility: null, how: 'second_person' }] });
    t.after(() => site.client.signOn.putPolicy({}));
    await page.goto(`${site.url}/#/devices/silo-03`);
    const bar = page.getByRole('region', { name: 'Terminal' });
    await bar.getByRole('button', { name: 'Sign in' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Ada Lovelace' }).click();
    await page.keyboard.type('4071');
    await page.keyboard.press('Enter');
    await page.getByLabel('Amount').fill('5');
    await page.getByRole('button', { name: 'Feed 5 kg' }).click();
    await dialog.getByText('wants another person who operates here').waitFor();
    // The second person sees what the person who started it saw.
    const plan = dialog.getByRole('region', { name: 'Feed 5 kg' });
    for (const fact of ['Rate', 'Expected duration', 'Level']) {
      await plan.getByText(fact, { exact: true }).waitFor();
    }
    assert.match(await plan.innerText(), /100\skg\/min[\s\S]*\d+\s% → \d+\s%/);
    const size = "parseFloat(getComputedStyle(document.querySelector('.confirmed-title')).fontSize)";
    assert.ok((await page.evaluate<number>(size)) >= 28, 'what it does is large');
    await checkAccessibility(page);
    assert.equal(await dialog.getByRole('button', { name: 'Ada Lovelace' }).count(), 0);
    await dialog.getByRole('button', { name: 'Bo Karlsson' }).click();
    await page.keyboard.type('4071');
    await dialog.getByRole('button', { name: 'Confirm: Feed 5 kg' }).click();
    await page.getByRole('region', { name: 'Operation under way' }).waitFor();
    const [started] = (await site.client.audit.list({ action: 'operations.feed', result: 'done' })).data;
    assert.equal(started?.actor?.confirmed_by?.name, 'Bo Karlsson');
    await page.getByRole('region', { name: 'Last operation' }).waitFor();

    // Both people are named wherever the person who started it is named.
    const both = /Ada Lovelace( · Mill, door)?, confirmed by Bo Karlsson/;
    await page.goto(`${site.url}/#/devices/silo-03?tab=operations`);
    await page.locator('.device-operations summary').getByText(both).click();
    await page.getByRole('list', { name: 'What happened' }).getByText(both).waitFor();
    await page.goto(`${site.url}/#/operations`);
    await page.getByRole('table').getByText(both).first().waitFor();
    await page.goto(`${site.url}/#/shift`);
    await page.getByText(both).first().waitFor();
    const administrator = await signIn(t, site);
    if (administrator === null) return;
    await administrator.open('#/administration/audit');
    const entry = administrator.page.getByRole('row').filter({ hasText: 'Confirm' }).first();
    await entry.getByText(both).waitFor();
    await entry.getByRole('button', { name: /^Details/ }).click();
    await administrator.page.getByRole('dialog').getByText('Bo Karlsson').waitFor();
  });

  for (const [viewport, locale] of [
    [PHONE, 'de-DE'],
    [DESK, 'de-DE'],
  ] as const) {
    test(`fit ${viewport.width} px, in German`, async (t) => {
      const terminal = await open(t, 'terminal', viewport, locale);
      if (terminal === null) return;
      const { page } = terminal;
      await page.getByText('Gesperrt: alle können ansehen und anhalten').waitFor();
      await page.getByRole('button', { name: 'Anmelden' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Ada Lovelace' }).click();
      await page.getByRole('button', { name: 'Ziffer 7' }).waitFor();
      await checkAccessibility(page);
    });
  }

  test('of a wall show it whatever the address is, without anything to press', async (t) => {
    const display = await open(t, 'display', DESK);
    if (display === null) return;
    const { page } = display;
    await page.locator('.wall h1').waitFor();
    await page.goto(`${site.url}/#/administration/keys`);
    await page.locator('.wall h1').waitFor();
    assert.equal(await page.getByRole('button', { name: /Stop|Sign|Acknowledge|Feed/ }).count(), 0);
    assert.equal(await page.getByRole('navigation', { name: 'Sections' }).count(), 0);
  });
});
