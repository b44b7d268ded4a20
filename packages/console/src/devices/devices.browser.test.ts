import assert from 'node:assert/strict';
import { after, before, describe, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { colouredPixels } from '@granary/testing/console/coloured-pixels';
import { checkAccessibility, DESK, type Operator, PHONE, signIn } from '@granary/testing/console/operator';
import { RunningSite } from '@granary/testing/console/running-site';
import { eventually } from '@granary/testing/server/eventually';
import type { Page } from 'playwright-core';

const SILO = 'silo-05';
/** The time within which the page shows the contents of an event. */
const AT_ONCE_MS = 1_000;
const TABS = ['', '&tab=operations', '&tab=configuration', '&tab=connection', '&tab=administration'];

describe('the page of a device, in a browser', () => {
  let site: RunningSite;
  before(async () => {
    site = await RunningSite.start();
  });
  after(() => site.stop());

  const operator = async (
    t: TestContext,
    options: Parameters<typeof signIn>[2] = {},
  ): Promise<Operator | null> => {
    const found = await signIn(t, site, options);
    if (found !== null) t.after(() => assert.deepEqual(found.record.faults, []));
    return found;
  };

  const amount = (page: Page) => page.getByLabel('Amount');
  const startButton = (page: Page, name: RegExp) => page.getByRole('button', { name });

  test('a feed shows its consequence, runs to its end and has a trace', async (t) => {
    const person = await operator(t);
    if (person === null) return;
    const { page } = person;
    await person.open(`#/devices/${SILO}`);
    await amount(page).fill('20');
    await page.getByText(/Feed 20\skg at 100\skg\/min: about 12\ss, level \d+\s% → \d+\s%/).waitFor();
    await startButton(page, /^Feed 20\skg$/).click();
    await page.getByRole('region', { name: 'Operation under way' }).waitFor();
    await page
      .getByRole('region', { name: 'Last operation' })
      .getByText('Completed', { exact: true })
      .waitFor();
    await page.getByRole('region', { name: 'Last operation' }).getByRole('link').click();
    const trace = page.getByRole('list', { name: 'What happened' });
    await trace.waitFor();
    const steps = await trace.innerText();
    for (const step of ['Requested', 'Checked', 'Start sent', 'Acknowledged by the device', 'Completed']) {
      assert.ok(steps.includes(step), step);
    }
  });

  test('what happened tells an operation from its start, and its end as soon as the card of the last one does', async (t) => {
    const person = await operator(t);
    if (person === null) return;
    const { page } = person;
    const region = (name: string) => page.getByRole('region', { name, exact: true });
    await person.open(`#/devices/${SILO}`);
    await region('What happened').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    const { operation_id } = await site.client.operations.discharge(SILO, {
      amount: 137,
      rate: 6,
      rate_unit: 'kg/min',
      target_container: 'Truck 7',
    });
    await region('Operation under way').waitFor();
    const line = region('What happened').getByRole('listitem').filter({ hasText: '137' });
    await line.waitFor({ timeout: AT_ONCE_MS });
    await line.getByText(/reported [\d.]+\skg of 137\skg moved/).waitFor();
    await site.client.operations.stop(SILO, operation_id);
    await region('Last operation').getByText('Stopped', { exact: true }).waitFor();
    await line.getByText(/confirmed the stop/).waitFor({ timeout: AT_ONCE_MS });
    assert.doesNotMatch((await line.textContent()) ?? '', /awaited|reported/);
  });

  test('whoever has chosen pounds and °F reads and types them, and kilograms stand beside a start', async (t) => {
    const person = await operator(t);
    if (person === null) return;
    const { page } = person;
    t.after(() => site.client.views.changePreferences({ units: null }));
    await person.open('#/me');
    // The first choice is still being stored when the second one is made.
    await page.route('**/v1/preferences', (route) => sleep(500).then(() => route.continue()));
    await page.getByLabel('Weight').selectOption('lb');
    await page.getByLabel('Temperature').selectOption('fahrenheit');
    const chosen = async () => Object.values((await site.client.views.preferences()).units ?? {}).join();
    await eventually(chosen, 'lb,fahrenheit,m/s');
    await page.unroute('**/v1/preferences');

    await person.open(`#/devices/${SILO}`);
    // The form begins with the direction of the last operation.
    await startButton(page, /^Feed$/).click();
    await page.getByText(/Room for [\d,.]+\slb/).waitFor();
    await page
      .getByText(/[\d.]+\s°F/)
      .first()
      .waitFor();
    await amount(page).fill('50');
    await page.getByText(/Feed 50\slb \(22\.7\skg\) at 220\.5\slb\/min \(100\skg\/min\): about/).waitFor();
    await page.getByLabel('Rate in lb/min').fill('100.50');
    assert.equal(await page.getByLabel('Rate in lb/min').inputValue(), '100.50', 'what is typed stays');
    await page.getByText('at 100.5 lb/min (45.6 kg/min)').waitFor();
    await startButton(page, /^Feed 50\slb \(22\.7\skg\)$/).click();
    await page.getByRole('region', { name: 'Operation under way' }).waitFor();
    const [started] = (await site.client.operations.list(SILO, { limit: 1 })).data;
    assert.deepEqual([started?.amount_target, started?.unit], [50, 'lb']);

    await person.open(`#/devices/${SILO}?tab=configuration`);
    assert.equal(await page.getByLabel('Highest feed rate in lb/min').inputValue(), '220.4620');
    const before = (await site.client.configuration.silo.get(SILO)).configuration.operation_limits;
    await page.getByLabel('Highest discharge rate in lb/min').fill('110');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/^Saved/).waitFor();
    const { configuration } = await site.client.configuration.silo.get(SILO);
    assert.deepEqual(configuration.operation_limits, { ...before, max_discharge_rate: 49.8951607 });
    await page.reload();
    await page.getByLabel('Highest discharge rate in lb/min').waitFor();
    await site.client.configuration.silo.update(SILO, { operation_limits: before });
  });

  for (const [viewport, language, browserLanguage, button] of [
    [DESK, 'de', 'en-US', /^Befüllung 0,2\st$/],
    [PHONE, 'en', 'de-DE', /^Feed 0\.2\st$/],
  ] as const) {
    test(`numbers that can mean two are asked for, and start as they were read: ${viewport.width} px, ${language}`, async (t) => {
      const person = await operator(t, { viewport, language, browserLanguage });
      if (person === null) return;
      const { page } = person;
      const words = { de: ['Menge', 'Einheit'], en: ['Amount', 'Unit'] }[language];
      const [field, unit] = words.map((name) => page.getByLabel(name, { exact: true }));
      assert.ok(field !== undefined && unit !== undefined);
      const count = async () => (await site.client.operations.list('silo-07')).data.length;
      const before = await count();
      await person.open('#/devices/silo-07?start=feed');
      await unit.selectOption('t');
      const start = page.locator('form.device-start > button[type=submit]');
      for (const typed of ['1.500', '1,500']) {
        await field.fill('');
        await field.pressSequentially(typed);
        await field.press('Enter');
        assert.equal(await field.inputValue(), typed, 'what is typed stays');
        assert.ok(await start.isDisabled(), typed);
      }
      assert.equal(await count(), before);
      await field.fill('');
      await field.pressSequentially('0,2');
      await startButton(page, button).waitFor();
      await field.press('Enter');
      await eventually(count, before + 1);
      const [operation] = (await site.client.operations.list('silo-07')).data;
      assert.deepEqual([operation?.amount_target, operation?.unit], [0.2, 't']);
      await site.client.operations.stop('silo-07', operation?.operation_id ?? '');
      const status = async () => (await site.client.operations.list('silo-07')).data[0]?.status;
      await eventually(status, 'stopped');
    });
  }

  /** An amount that lifts a silo above its high level, without a refusal. */
  const aboveHighLevel = async (): Promise<{ readonly deviceId: string; readonly kg: number }> => {
    for (const { device_id: deviceId } of (await site.client.fleet.devices({ profile: 'silo_scale' })).data) {
      const { room } = await site.client.operations.plan(deviceId, { type: 'feed', amount: 1 });
      const kg = Math.floor((room ?? 0) * 0.98);
      const wanted = { type: 'feed', amount: Math.max(1, kg) } as const;
      const { crosses, refusal } = await site.client.operations.plan(deviceId, wanted);
      if (refusal === null && crosses.includes('high_level')) return { deviceId, kg };
    }
    throw new Error('no silo is below its high level');
  };

  for (const [viewport, language, browserLanguage] of [
    [DESK, 'de', 'en-GB'],
    [PHONE, 'en', 'de-DE'],
  ] as const) {
    test(`a start that the page warns about takes a second press: ${viewport.width} px, ${language}`, async (t) => {
      const person = await operator(t, { viewport, language, browserLanguage });
      if (person === null) return;
      const { page } = person;
      const { deviceId, kg } = await aboveHighLevel();
      const words = {
        de: {
          amount: 'Menge',
          above: / über „Vollmeldung“$/,
          none: /Noch ist nichts gestartet/,
          cancel: 'Abbrechen',
        },
        en: {
          amount: 'Amount',
          above: / above high level$/,
          none: /Nothing has started yet/,
          cancel: 'Cancel',
        },
      }[language];
      const started = async () => (await site.client.operations.list(deviceId)).data.length;
      const before = await started();
      await person.open(`#/devices/${deviceId}?start=feed`);
      await page.getByLabel(words.amount, { exact: true }).fill(String(kg));
      const form = page.locator('form.device-start');
      const first = form.locator('> button[type=submit]');
      await form.locator('.device-start-warning').first().waitFor();
      const second = form.getByRole('button', { name: words.above });

      // The person makes a double click, and holds Enter in the field and on the button.
      await first.dblclick();
      await form.getByRole('alert').getByText(words.none).waitFor();
      await second.waitFor();
      // Both are measured at one moment, because the page scrolls when the second press becomes possible.
      const isAbove = await form.evaluate((element) => {
        const [top, below] = ['button[type=submit]', '.second-press .primary'].map((selector) =>
          element.querySelector(selector)?.getBoundingClientRect(),
        );
        return top !== undefined && below !== undefined && top.bottom <= below.top;
      });
      assert.ok(isAbove, 'the first button stays above');
      const ground = () => first.evaluate((element) => getComputedStyle(element).backgroundColor);
      const pressed = await ground();
      await page.mouse.move(0, 0);
      assert.equal(await ground(), pressed, 'under the pointer it does not look as if it could be pressed');
      await page.keyboard.press('Escape');
      await second.waitFor({ state: 'detached' });
      await page.getByLabel(words.amount, { exact: true }).focus();
      for (let count = 0; count < 5; count += 1) await page.keyboard.down('Enter');
      await page.keyboard.up('Enter');
      await second.waitFor();
      await sleep(900);
      for (let count = 0; count < 5; count += 1) await page.keyboard.press('Enter');
      await checkAccessibility(page);
      assert.equal(await started(), before, 'nothing was started');

      // With another amount the page asks again.
      await page.getByLabel(words.amount, { exact: true }).fill(String(kg - 1));
      await second.waitFor({ state: 'detached' });
      await form.locator('.device-start-warning').first().waitFor();
      await first.click();
      await form.locator('.second-press .primary:not([aria-disabled])').waitFor();
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await eventually(started, before + 1);
      const [operation] = (await site.client.operations.list(deviceId)).data;
      assert.equal(operation?.amount_target, kg - 1);
      await site.client.operations.stop(deviceId, operation?.operation_id ?? '');
    });
  }

  test('a second press that comes under the finger is seen before it is armed', async (t) => {
    const person = await operator(t, { viewport: PHONE });
    if (person === null) return;
    const { page } = person;
    const { deviceId, kg } = await aboveHighLevel();
    await person.open(`#/devices/${deviceId}?start=feed`);
    await amount(page).fill(String(kg));
    const form = page.locator('form.device-start');
    await form.locator('.device-start-warning').first().waitFor();
    const first = form.locator('> button[type=submit]');
    await first.evaluate((element) => element.scrollIntoView({ block: 'end' }));
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 60_000);
    await first.click();
    const places: number[] = [];
    const second = form.locator('.second-press .primary');
    for (let isArmed = false; !isArmed && places.length < 100; ) {
      await page.clock.runFor(50);
      places.push((await second.boundingBox())?.y ?? Number.NaN);
      isArmed = (await second.getAttribute('aria-disabled')) === null;
    }
    assert.notEqual(places.at(0), places.at(-1), 'the page is scrolled');
    assert.equal(new Set(places.slice(-10)).size, 1, `armed in its place: ${places}`);
  });

  test('the vessel shows where the form leads, the points of a cable, and one rule for all of them', async (t) => {
    const person = await operator(t);
    if (person === null) return;
    const { page } = person;
    await person.open('#/devices/silo-12');
    const contents = page.getByRole('region', { name: 'Contents' });
    await contents.locator('.cable-point').nth(11).waitFor();
    await page.getByRole('group', { name: 'Start an operation' }).getByText('Discharge').click();
    await amount(page).fill('50000');
    await contents.getByText('After it').waitFor();
    assert.equal(await contents.locator('.ghost').count(), 1);
    await amount(page).fill('');
    await contents.getByText('After it').waitFor({ state: 'detached' });

    await person.open('#/devices/silo-12?tab=configuration');
    const rules = page.getByRole('group', { name: 'Threshold rules' });
    await rules.getByRole('listitem').first().waitFor();
    assert.equal(await rules.getByRole('listitem').count(), 2);
    await rules.getByLabel('Value').first().fill('29');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/^Saved/).waitFor();
    const { configuration } = await site.client.configuration.silo.get('silo-12');
    const changed = configuration.rules.filter(({ above }) => above === 29);
    assert.deepEqual(
      changed.map(({ sensor_id }) => sensor_id),
      Array.from({ length: 12 }, (_, index) => `temp_${index + 1}`),
    );
    assert.match(changed[11]?.message ?? '', /12$/);
  });

  test('the chart compares with another silo and with what is usual, and the address keeps it', async (t) => {
    const person = await operator(t);
    if (person === null) return;
    const { page } = person;
    await person.open('#/devices/silo-12');
    await page.getByLabel('Compare with …').selectOption({ label: 'Malting barley · Riverside Mill' });
    await page.getByText('Level · Malting barley').waitFor();
    await page.getByLabel('Usual for the weekday').check();
    assert.match(page.url(), /with=silo-13.*usual=on/);
    await page.reload();
    await page.getByText('Level · Malting barley').waitFor();
    await page.getByLabel('Compare with …').selectOption('');
    await page.getByText('Level · Malting barley').waitFor({ state: 'detached' });
  });

  test('a discharge is stopped with one press on a phone', async (t) => {
    const person = await operator(t, { viewport: PHONE });
    if (person === null) return;
    const { page } = person;
    await person.open(`#/devices/${SILO}`);
    await page.getByRole('group', { name: 'Start an operation' }).getByText('Discharge').click();
    await amount(page).fill('900000');
    await page.getByText('A start would be refused now').waitFor();
    await page.getByText(/There is only/).waitFor();
    await page.getByLabel('Into which container').fill('Truck <b>7</b>');
    assert.ok(await startButton(page, /^Discharge 900,000\skg$/).isDisabled(), 'refused is refused');
    await amount(page).fill('500');
    await page.getByText('into Truck <b>7</b>').first().waitFor();
    await startButton(page, /^Discharge 500\skg$/).click();
    const running = page.getByRole('region', { name: 'Operation under way' });
    const stop = running.getByRole('button', { name: /^Stop/ });
    const box = await stop.boundingBox();
    assert.ok(box !== null && box.height >= 64, 'the stop is large enough for a thumb');
    await stop.click();
    await page
      .getByRole('region', { name: 'Last operation' })
      .getByText('Stopped', { exact: true })
      .waitFor();
    const [last] = (await site.client.operations.list(SILO)).data;
    assert.equal(last?.status, 'stopped');
    const direction = page.getByRole('group', { name: 'Start an operation' }).locator('[aria-pressed=true]');
    assert.equal(await direction.textContent(), 'Discharge', 'the form keeps the direction');
  });

  test('the chart says at once that it reads, and then has a coloured line', async (t) => {
    const person = await operator(t);
    if (person === null) return;
    const { page } = person;
    let release = (): void => undefined;
    const isReleased = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/history?*', async (route) => {
      await isReleased;
      await route.continue();
    });
    await person.open(`#/devices/${SILO}?range=6h`);
    await page.getByText('Reading 6 h …').waitFor();
    assert.equal(await colouredPixels(page), 0);
    release();
    await page.getByText('Reading 6 h …').waitFor({ state: 'detached' });
    // The readings of a minute are drawn as a line of a few pixels, or as one point.
    await eventually(async () => (await colouredPixels(page)) > 0, true);
  });

  test('the line is read first, with few requests, and what belongs to it afterwards', async (t) => {
    const person = await operator(t);
    if (person === null) return;
    const page = await person.page.context().newPage();
    const asked = new Set<string>();
    let beforeLine: number | undefined;
    // The requests are counted when that of the line is sent, because an idle page loads ahead while the answer is on its way. The requests
    // that a page sends again when it becomes live, and when it is kept for later, may come before the line on a busy machine.
    page.on('request', (request) => {
      asked.add(request.url());
      if (/history\?/.test(request.url())) beforeLine ??= asked.size;
    });
    await page.goto(`${site.url}/#/devices/${SILO}?range=6h`);
    await eventually(async () => (await colouredPixels(page)) > 0, true);
    // The requests include those for alerts and operations of the site, where there are some.
    assert.ok(beforeLine !== undefined && beforeLine <= 15, `${beforeLine} requests before the line`);
    await amount(page).waitFor();
  });

  test('the vessel shows where an operation under way leads, also on the overview', async (t) => {
    const person = await operator(t);
    if (person === null) return;
    const { page } = person;
    const { operation_id } = await site.client.operations.feed('silo-07', { amount: 2_000 });
    await person.open('#/devices/silo-07');
    const contents = page.getByRole('region', { name: 'Contents' });
    await contents.getByText('Target').waitFor();
    assert.equal(await contents.locator('.ghost').count(), 1);
    await person.open('#/?q=silo-07');
    await page.locator('.overview-tile .ghost').waitFor();
    await site.client.operations.stop('silo-07', operation_id);
    await page.locator('.overview-tile .ghost').waitFor({ state: 'detached' });
  });

  test('a refusal says what to do about it, before anything is entered and where a key may not operate', async (t) => {
    const person = await operator(t);
    if (person === null) return;
    const { page } = person;
    await site.client.devices.silo.maintenance('silo-08', { on: true, reason: 'New bearing' });
    await person.open('#/devices/silo-08');
    await page.getByText('The device is in maintenance.').waitFor();
    await page.getByText('When nobody works on it any more, end the maintenance.').waitFor();
    await checkAccessibility(page);
    await page.getByRole('alert').getByRole('link', { name: 'Configuration' }).click();
    await page.getByRole('button', { name: 'End maintenance' }).click();
    await page.getByRole('button', { name: 'Begin maintenance' }).waitFor();
    await person.open('#/devices/silo-08');
    await amount(page).fill('900000');
    await page.getByText('Enter a smaller amount, or discharge something first.').waitFor();
    const { key } = await site.client.keys.create({ name: 'display', scopes: ['read'] });
    const viewer = await operator(t, { apiKey: key });
    await viewer?.open('#/devices/silo-08');
    await viewer?.page.getByText('Your key may read, but not operate.').waitFor();
    assert.equal(await viewer?.page.getByLabel('Amount').count(), 0);
  });

  test('a silo that never reported is hatched and says so, and a stopped vehicle says that it is', async (t) => {
    const person = await operator(t);
    if (person === null) return;
    const { page } = person;
    await site.client.devices.silo.register({
      device_id: 'silo-empty',
      name: 'Reserve',
      model: 'GS-1',
      location: { facility: 'Hillside Farm', zone: 'Yard' },
      capacity: { max: 5_000, unit: 'kg' },
    });
    await person.open('#/devices/silo-empty');
    await page.getByRole('region', { name: 'Contents' }).getByText('Never reported').waitFor();
    assert.equal(await page.locator('.device-vessel .hatching').count(), 1);
    await person.open('#/devices/rover-02');
    await page.getByRole('button', { name: 'Emergency stop of Hillside orchard' }).click();
    await page.locator('.device-status').getByText('Emergency stop').waitFor();
    await page
      .getByText(/has confirmed that it stands still/)
      .first()
      .waitFor();
    assert.equal(
      await page.locator('.emergency-stop .button.stop').count(),
      0,
      'it is not the loudest any more',
    );
  });

  test('one cause is one line of what happened', async (t) => {
    const person = await operator(t);
    if (person === null) return;
    const { page } = person;
    await site.client.devices.silo.register({
      device_id: 'silo-low',
      name: 'Low silo',
      model: 'GS-12',
      capacity: { max: 1_000, unit: 'kg' },
      location: { facility: 'Hillside Farm', zone: 'Loft' },
    });
    for (const weight of [500, 50]) {
      await site.client.telemetry.send('silo', 'silo-low', { ts: Date.now(), weight });
    }
    await person.open('#/devices/silo-low');
    const lines = page.getByRole('region', { name: 'What happened' }).getByRole('listitem');
    await lines.filter({ hasText: 'at or below the limit of 10 %' }).waitFor();
    const texts = (await lines.allInnerTexts()).map((text) => text.replace(/\s+/g, ' '));
    // The level is both low and critical.
    assert.equal(texts.length, 2, texts.join('\n'));
    assert.match(texts.join('\n'), /Register device/);
  });

  test('dragging over the chart zooms, and the address shows the same', async (t) => {
    const person = await operator(t);
    if (person === null) return;
    const { page } = person;
    await person.open(`#/devices/${SILO}?range=6h`);
    const plot = page.locator('.u-over');
    await plot.waitFor();
    const box = await plot.boundingBox();
    assert.ok(box);
    await page.mouse.move(box.x + box.width * 0.5, box.y + 50);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width, box.y + 60, { steps: 5 });
    await page.mouse.up();
    await page.waitForURL(/from=.*to=/);
    const address = new URLSearchParams(new URL(page.url()).hash.split('?')[1]);
    const hours = (Date.parse(address.get('to') ?? '') - Date.parse(address.get('from') ?? '')) / 3_600_000;
    assert.ok(hours > 2.5 && hours < 3.5, `${hours} h`);
    await page.getByRole('button', { name: 'Temperature' }).click();
    await page.waitForURL(/sensor=level%2Ctemperature/);
    await page.getByRole('button', { name: '7 d' }).click();
    await page.waitForURL(/range=7d/);
  });

  test('two people change one configuration: the second one decides', async (t) => {
    const person = await operator(t);
    if (person === null) return;
    const { page } = person;
    await person.open(`#/devices/${SILO}?tab=configuration`);
    await page.getByLabel(/^Low level in %/).fill('25');
    await site.client.configuration.silo.update(
      SILO,
      { thresholds: { low_level: 30, high_level: 93 } },
      { actor: 'Ada' },
    );
    await page.getByText('Ada has changed this configuration').waitFor();
    assert.equal(await page.getByLabel(/^High level in %/).inputValue(), '93');
    assert.ok(await page.getByRole('button', { name: 'Save' }).isDisabled());
    await page.getByRole('button', { name: 'Keep mine: 25' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/^Saved .* · sent to the device · received by it$/).waitFor();
    const { configuration } = await site.client.configuration.silo.get(SILO);
    assert.deepEqual(configuration.thresholds, { low_level: 25, high_level: 93, critical_level: 10 });
  });

  test('maintenance is begun and ended where the device is configured', async (t) => {
    const person = await operator(t);
    if (person === null) return;
    const { page } = person;
    await person.open(`#/devices/${SILO}?tab=configuration`);
    await page.getByLabel('Reason').fill('New bearing');
    await page.getByRole('button', { name: 'Begin maintenance' }).click();
    await page.getByText('can move the device again').waitFor();
    assert.equal((await site.client.devices.silo.get(SILO)).maintenance?.reason, 'New bearing');
    await page.getByRole('button', { name: 'End maintenance' }).click();
    await page.getByRole('button', { name: 'Begin maintenance' }).waitFor();
    assert.equal((await site.client.devices.silo.get(SILO)).maintenance, undefined);
  });

  for (const [viewport, colorScheme] of [
    [DESK, 'light'],
    [PHONE, 'dark'],
  ] as const) {
    test(`no serious fault of accessibility: ${viewport.width} px wide, ${colorScheme}`, async (t) => {
      const person = await operator(t, { viewport, colorScheme });
      if (person === null) return;
      for (const [deviceId, tabs] of [
        [SILO, TABS],
        ['rover-01', TABS.slice(0, 1)],
      ] as const) {
        for (const tab of tabs) {
          await person.open(`#/devices/${deviceId}?range=24h${tab}`);
          await person.page.getByRole('heading', { level: 1 }).waitFor();
          await checkAccessibility(person.page);
        }
      }
      assert.equal(person.record.hosts.size, 1);
    });
  }
});
