import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@granary/contract/time';
import { checkAccessibility, PHONE, signIn } from '@granary/testing/console/operator';
import { RunningSite } from '@granary/testing/console/running-site';
import { eventually } from '@granary/testing/server/eventually';

const CAPACITY_KG = 10_000;
const DAYS = 21;
const EVERY_MS = 15 * MINUTE_MS;
const KG_PER_DAY = 1_000;
const REFILL_BELOW_KG = 3_000;
const BATCH = 500;

/** The weights of a silo that loses the same amount every hour, and is filled when it is low. */
function readings(nowMs: number): { ts: number; weight: number }[] {
  let kg = 9_000;
  return Array.from({ length: (DAYS * DAY_MS) / EVERY_MS }, (_, index) => {
    kg = kg < REFILL_BELOW_KG ? 9_000 : kg - (KG_PER_DAY * EVERY_MS) / DAY_MS;
    return { ts: nowMs - DAYS * DAY_MS + (index + 1) * EVERY_MS, weight: Math.round(kg) };
  });
}

describe('forecasts in the page', () => {
  let site: RunningSite;
  before(async () => {
    site = await RunningSite.start();
    const { client } = site;
    await client.devices.silo.register({
      device_id: 'layers',
      name: 'Layers',
      model: 'test',
      location: { facility: 'Hill Farm', zone: 'House 1' },
      capacity: { max: CAPACITY_KG, unit: 'kg' },
    });
    await client.configuration.silo.update('layers', {
      product: { name: 'Layer mash', bulk_density: 500 },
      supply: { lead_time_h: 24 },
    });
    const nowMs = Date.now();
    const all = readings(nowMs);
    for (let start = 0; start < all.length; start += BATCH) {
      await client.telemetry.send('silo', 'layers', all.slice(start, start + BATCH));
    }
    // The stored forecast is awaited too, because it may have been made while the history was being sent.
    await eventually(async () => (await client.foresight.forecasts({})).data[0]?.status, 'ok');
  });
  after(() => site.stop());

  test('the tile, the page of the silo and the orders say the same, and a delivery can be entered', async (t) => {
    const operator = await signIn(t, site);
    if (operator === null) return;
    const { page, record } = operator;
    await operator.open('#/overview?q=Layers');
    const said = page.locator('.forecast-tile').first();
    await said.waitFor();
    const sentence = (await said.getAttribute('title')) ?? '';
    assert.match(sentence, /^Empty /);
    assert.doesNotMatch(await said.innerText(), /\(/, 'the range is not on the tile');

    await operator.open('#/devices/layers?tab=forecast');
    await page.getByRole('heading', { name: sentence }).waitFor();
    await page.locator('.fan-chart path.past').waitFor();
    assert.equal(await page.locator('.dot-strip circle').count(), 20);
    assert.ok((await page.locator('.fan-chart path.refill').count()) >= 1, 'the last refill is marked');
    const at = new Date(Date.now() + 40 * HOUR_MS).toISOString().slice(0, 16);
    await page.getByLabel('Delivery at').fill(at);
    const form = page.getByRole('form', { name: 'Enter an order' });
    await page.getByLabel('Amount in kg').fill('9600');
    await form.getByText(/Only \d\.\d\d\st fit then; all of it from /).waitFor();
    await page.getByLabel('Amount in kg').fill('12000');
    await form.getByText(/Only .* fit then; when all of it fits is not in sight/).waitFor();
    await page.getByLabel('Amount in kg').fill('4000');
    await form.getByText(/^Only/).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Enter', exact: true }).click();
    await page.locator('.forecast-planned').getByText('4.00 t').waitFor();
    // The step of the delivery is drawn, and the headline says that the delivery is counted.
    await page.locator('.fan-chart path.delivery').waitFor();
    await page.getByText('with the entered deliveries').waitFor();
    const weekday = new Date(at).toLocaleDateString('en-GB', { weekday: 'short', timeZone: 'UTC' });
    await page.locator('.forecast-planned').getByText(weekday).waitFor();
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await page.getByText('No delivery is planned.').waitFor();
    await checkAccessibility(page);

    await operator.open('#/orders?days=14&compartments=8000');
    await page.getByRole('heading', { name: 'Hill Farm · Layer mash' }).waitFor();
    await page.getByText('Truck 1, compartment 1').waitFor();
    await checkAccessibility(page);

    t.after(() => site.client.views.changePreferences({ units: null }));
    await operator.open('#/me');
    await page.getByLabel('Weight').selectOption('bushel');
    await eventually(async () => (await site.client.views.preferences()).units?.mass, 'bushel');
    await operator.open('#/orders?days=14&compartments=8000');
    // 500 kg/m³ are 17.62 kg in a bushel.
    await page.getByText(/\/\s454\sbu$/).waitFor();
    await page.getByRole('cell', { name: /^5[67]\sbu$/ }).waitFor();
    assert.equal(await page.getByLabel(/^Compartments in lb/).inputValue(), '17636.981');
    assert.deepEqual(record.faults, []);
  });

  test('on a phone everything fits, in the dark, and in German', async (t) => {
    const operator = await signIn(t, site, { viewport: PHONE, colorScheme: 'dark' });
    if (operator === null) return;
    const { page } = operator;
    await page.evaluate("localStorage.setItem('granary.language', 'de')");
    for (const [address, heading] of [
      ['#/devices/layers?tab=forecast', /^Leer /],
      ['#/orders?days=14', 'Was zu bestellen ist'],
    ] as const) {
      await page.goto(`${site.url}/${address}`);
      await page.reload();
      await page.getByRole('heading', { name: heading }).first().waitFor();
      await checkAccessibility(page);
    }
  });
});
