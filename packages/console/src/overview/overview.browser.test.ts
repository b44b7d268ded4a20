import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { checkAccessibility, DESK, PHONE, signIn } from '@granary/testing/console/operator';
import { RunningSite } from '@granary/testing/console/running-site';

const ODD_NAME = '<img src=x onerror=alert(1)> 🌾 قمح';

describe('the overview of the site in Chromium', () => {
  let site: RunningSite;

  before(async () => {
    site = await RunningSite.start();
  });
  after(() => site.stop());

  test('shows a silo drawn to its level, and finds it by a search that is in the address', async (t) => {
    const operator = await signIn(t, site);
    if (operator === null) return;
    const { page, record } = operator;
    const tile = page.getByRole('listitem').filter({ hasText: 'Calf starter' });
    await tile.getByRole('img', { name: /^Calf starter: \d+\s%$/ }).waitFor();
    await tile.getByText(/^\d+\.\d\d\st$/).waitFor();
    await page.getByRole('heading', { name: 'Hillside Farm' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('calf');
    await page.getByRole('heading', { name: 'Layer feed' }).waitFor({ state: 'detached' });
    assert.match(page.url(), /#\/overview\?q=calf$/);
    await page.reload();
    await tile.waitFor();
    assert.equal(await page.getByRole('heading', { name: 'Layer feed' }).count(), 0);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByRole('heading', { name: 'Layer feed' }).waitFor();
    assert.deepEqual(record.faults, []);
  });

  test('says that everything is simulated, how devices of your own are attached and how the demo is left', async (t) => {
    const operator = await signIn(t, site, { viewport: PHONE });
    if (operator === null) return;
    const { page, record } = operator;
    const notice = page.getByRole('complementary', { name: 'First steps' });
    await notice.getByRole('link').click();
    await page.getByRole('heading', { name: 'First steps' }).waitFor();
    await page.getByText(/^19 devices are simulated: .* There is no device of your own yet\.$/).waitFor();
    await page.getByText('granary remove-demo', { exact: true }).waitFor();
    await checkAccessibility(page);
    const register = page.getByRole('button', { name: 'Register device' });
    await register.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByLabel('Id', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Import devices' }).click();
    await page.getByRole('dialog', { name: 'Import devices' }).waitFor();
    await page.keyboard.press('Escape');
    await page.goBack();
    await notice.getByRole('button').click();
    await notice.waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('heading', { name: 'Calf starter' }).waitFor();
    assert.equal(await notice.count(), 0);
    assert.deepEqual(record.faults, []);
  });

  test('says whose history is still being written until it is, to everybody and of what they see', async (t) => {
    const { silo } = site.client.devices;
    const label = async (value: string | null): Promise<void> => {
      for (const id of ['silo-01', 'silo-06']) await silo.update(id, { labels: { history: value } });
    };
    t.after(() => label(null));
    await label('writing');
    const manager = await signIn(t, site);
    const { key } = await site.client.keys.create({
      name: 'viewer',
      scopes: ['read'],
      device_ids: ['silo-01', 'silo-02', 'rover-01'],
    });
    const viewer = await signIn(t, site, { apiKey: key, language: 'de', viewport: PHONE });
    if (manager === null || viewer === null) return;
    await viewer.page.getByText('Der Verlauf von 1 von 3 Geräten wird noch geschrieben.').waitFor();
    await checkAccessibility(viewer.page);
    const { page } = manager;
    const demo = page.getByRole('complementary', { name: 'First steps' });
    await demo.getByRole('button').click();
    await demo.waitFor({ state: 'detached' });
    await page.getByText('The history of 2 of 19 devices is still being written.').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await silo.update('silo-01', { labels: { history: null } });
    await page.getByText('The history of 1 of 19 devices is still being written.').waitFor();
    await viewer.page.getByText('Der Verlauf von').waitFor({ state: 'detached' });
    await silo.update('silo-06', { labels: { history: 'on paper' } });
    await page.getByText('is still being written').waitFor({ state: 'detached' });
    assert.deepEqual([...manager.record.faults, ...viewer.record.faults], []);
  });

  test('closes a facility, and shows the devices as rows in the order of their levels, all of it in the address', async (t) => {
    const operator = await signIn(t, site);
    if (operator === null) return;
    const { page, record } = operator;
    const facility = page.getByRole('button', { name: 'Hillside Farm' });
    const tile = page.getByRole('heading', { name: 'Calf starter' });
    await tile.waitFor();
    await facility.click();
    await tile.waitFor({ state: 'detached' });
    await page.reload();
    assert.equal(await facility.getAttribute('aria-expanded'), 'false');
    await page.getByRole('button', { name: 'Table', exact: true }).click();
    const table = page.getByRole('table', { name: 'Overview' });
    await table.getByRole('button', { name: 'Level' }).click();
    assert.match(page.url(), /view=table&order=level$/);
    const levels = (await table.locator('tbody .overview-level').allTextContents()).map(Number.parseFloat);
    assert.ok(levels.length > 5);
    assert.deepEqual(
      levels,
      levels.toSorted((one, other) => one - other),
    );
    await page.getByRole('button', { name: 'Moving', exact: true }).click();
    await page.getByText('No device matches.').waitFor();
    assert.deepEqual(record.faults, []);
  });

  test('shows a new device without a reload, whatever its name is, and that it never reported', async (t) => {
    const operator = await signIn(t, site);
    if (operator === null) return;
    const { page, record } = operator;
    await page.getByText('Live', { exact: true }).waitFor();
    await site.client.devices.silo.register({
      device_id: 'silo-new',
      name: ODD_NAME,
      model: 'GS-12',
      capacity: { max: 1_000, unit: 'kg' },
      location: { facility: 'A'.repeat(200), zone: 'Loft' },
    });
    const tile = page.getByRole('listitem').filter({ hasText: ODD_NAME });
    await tile.getByText('Never reported').first().waitFor();
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), DESK.width);
    await operator.open('#/overview?view=table');
    await page.getByRole('row').filter({ hasText: ODD_NAME }).waitFor();
    const table = await page.getByRole('table').boundingBox();
    const panel = await page.getByRole('complementary', { name: 'Needs attention' }).boundingBox();
    assert.ok(table !== null && panel !== null && table.x + table.width <= panel.x, 'beside, not below it');
    assert.deepEqual(record.faults, []);
  });

  test('leads from what needs attention to the device, on a phone', async (t) => {
    await site.client.configuration.silo.update('silo-03', { thresholds: { low_level: 95, high_level: 99 } });
    const operator = await signIn(t, site, { viewport: PHONE });
    if (operator === null) return;
    const { page } = operator;
    const panel = page.getByRole('complementary', { name: 'Needs attention' });
    const more = panel.getByRole('button', { name: /^Show all/ });
    await panel.getByRole('listitem').first().waitFor();
    if (await more.isVisible()) await more.click();
    await panel.getByRole('link', { name: 'Sow feed' }).click();
    await page.waitForURL(/#\/devices\/silo-03$/);
  });
});
