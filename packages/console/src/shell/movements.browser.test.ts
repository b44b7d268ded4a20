import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OperationStarted } from '@granary/contract/operations';
import { checkAccessibility, type Operator, PHONE, signIn } from '@granary/testing/console/operator';
import { RunningSite } from '@granary/testing/console/running-site';
import { eventually } from '@granary/testing/server/eventually';
import { loadTexts } from '@granary/words/languages';
import type { Page } from 'playwright-core';

const DESK = { width: 1_440, height: 900 };
const SIZES = [
  { viewport: DESK, language: 'de', browserLanguage: 'en-US' },
  { viewport: PHONE, language: 'en', browserLanguage: 'de-DE' },
] as const;

/** The rate is so low that the operations run until they are stopped. */
const DISCHARGE = { amount: 200, rate: 6, rate_unit: 'kg/min', target_container: 'Truck 7' } as const;

/** The stops of the movements: where each is in the window, and what a press there does. */
const STOPS = `[...document.querySelectorAll('.movement-strip .movement .button')].flatMap((button) => {
    const { left, top, width, height } = button.getBoundingClientRect();
    const [x, y] = [left + width / 2, top + height / 2];
    const hit = document.elementFromPoint(x, y)?.closest('button');
    return hit === button ? [{ x, y, label: button.ariaLabel }] : [];
  })`;

/** The stops of which a part cannot be pressed, because another element covers it or it is outside the window. */
const COVERED_STOPS = `[...document.querySelectorAll('.movement-foot .movement .button')].flatMap((button) => {
    const { left, top, right, bottom } = button.getBoundingClientRect();
    const corners = [[left + 8, top + 8], [right - 8, top + 8], [left + 8, bottom - 8], [right - 8, bottom - 8]];
    const isWhole = corners.every(([x, y]) => document.elementFromPoint(x, y)?.closest('button') === button);
    return isWhole ? [] : [button.ariaLabel];
  })`;

interface Stop {
  readonly x: number;
  readonly y: number;
  readonly label: string;
}

const stopsOf = (page: Page): Promise<Stop[]> => page.evaluate<Stop[]>(STOPS);

const labelAt = (page: Page, { x, y }: Stop): Promise<string | null> =>
  page.evaluate<string | null>(`document.elementFromPoint(${x}, ${y})?.closest('button')?.ariaLabel ?? null`);

let site: RunningSite;
const started = new Map<string, string>();

async function discharge(deviceId: string): Promise<OperationStarted> {
  const operation = await site.client.operations.discharge(deviceId, DISCHARGE);
  started.set(operation.operation_id, deviceId);
  return operation;
}

async function stopAll(): Promise<void> {
  for (const [operationId, deviceId] of started) {
    await site.client.operations.stop(deviceId, operationId);
    await eventually(
      async () => (await site.client.operations.get(deviceId, operationId)).ended_at !== null,
      true,
    );
  }
  started.clear();
}

/** Returns silos that can discharge now. */
async function silos(count: number): Promise<string[]> {
  const { data } = await site.client.fleet.devices({ profile: 'silo_scale' });
  const chosen = data.slice(0, count).map(({ device_id }) => device_id);
  assert.equal(chosen.length, count);
  return chosen;
}

const described = async (deviceId: string) =>
  (await site.client.fleet.devices({ q: deviceId })).data.find(({ device_id }) => device_id === deviceId);

const nameOf = async (deviceId: string): Promise<string> => (await described(deviceId))?.name ?? '';

const facilityOf = async (deviceId: string): Promise<string> =>
  (await described(deviceId))?.location.facility ?? '';

before(async () => {
  site = await RunningSite.start();
});
after(() => site.stop());

for (const size of SIZES) {
  const width = `${size.viewport.width} px wide`;
  describe(`what moves, ${width}`, async () => {
    const { page: texts } = await loadTexts(size.language);
    const { over } = texts.shell.movements;
    const [stopped = ''] = texts.shell.movements.stopped({ moved: '\n' }).split('\n');
    const opened = async (t: Parameters<typeof signIn>[0], address: string): Promise<Operator | null> => {
      t.after(stopAll);
      const operator = await signIn(t, site, size);
      operator?.page.setDefaultTimeout(30_000);
      await operator?.open(address);
      return operator;
    };

    test(`keeps its place under the pointer while others start and end, ${width}`, async (t) => {
      const [first = '', ...others] = await silos(7);
      const last = others.pop() ?? '';
      const operations: OperationStarted[] = [];
      for (const one of [...others, first]) operations.push(await discharge(one));
      const operator = await opened(t, '#/alerts');
      if (operator === null) return;
      const { page } = operator;
      await page.locator('.movement-foot .movement').first().waitFor();
      const before = await stopsOf(page);
      assert.ok(before.length > 0);
      assert.deepEqual(await page.evaluate(COVERED_STOPS), []);
      const isUnchanged = async (stops: readonly Stop[], looks: number): Promise<void> => {
        for (let look = 0; look < looks; look++) {
          for (const stop of stops) assert.equal(await labelAt(page, stop), stop.label);
          await sleep(250);
        }
      };
      await discharge(last);
      await isUnchanged(before, 12);
      // The first card is at the left; its place is not given to another one while any of the others is shown.
      await site.client.operations.stop(others[0] ?? '', operations[0]?.operation_id ?? '');
      await page.locator('.movement-foot .movement.ended').waitFor();
      await isUnchanged(before.slice(1), 8);
      assert.equal(await labelAt(page, before[0] as Stop), over);
      await page.locator('.movement-foot .movement.ended').waitFor({ state: 'detached' });
      await isUnchanged(before.slice(1), 4);
      assert.deepEqual(operator.record.faults, []);
    });

    test(`can all be reached and stopped with one press, each told by itself, ${width}`, async (t) => {
      const chosen = await silos(6);
      for (const one of chosen) await discharge(one);
      const operator = await opened(t, '#/alerts');
      if (operator === null) return;
      const { page } = operator;
      // At first the service fails for one of the stops.
      let untilMs = Number.POSITIVE_INFINITY;
      await page.route(`**/devices/${chosen[1]}/operations/*/stop`, (route) =>
        Date.now() < untilMs ? route.abort() : route.continue(),
      );
      await page.locator('.movement-count .button', { hasText: /^6 / }).click();
      const lines = page.locator('.movement-list .movement');
      assert.equal(await lines.count(), 6);
      await checkAccessibility(page);
      const facilities = await page.locator('.movement-stop-all .button').allTextContents();
      await page.locator('.movement-stop-all .button').first().click();
      const here = await facilityOf(chosen[0] ?? '');
      assert.ok(facilities[0]?.includes(here));
      await lines.filter({ hasText: texts.common.stopUnsent }).waitFor();
      untilMs = Date.now();
      for (const [index, one] of chosen.entries()) {
        const isHere = (await facilityOf(one)) === here;
        const line = lines.nth(index);
        if (isHere) await line.getByText(stopped).waitFor();
        else assert.equal(await line.locator('.stop .button').textContent(), texts.common.stop);
      }
      await page.keyboard.press('Escape');
      await page.locator('.movement-list').waitFor({ state: 'detached' });
    });

    test(`is told for ten seconds after its end where its stop was, and read out, ${width}`, async (t) => {
      const [silo = ''] = await silos(1);
      await discharge(silo);
      const operator = await opened(t, '#/overview?show=moving');
      if (operator === null) return;
      const { page } = operator;
      const tile = page.locator('.overview-places').getByText(await nameOf(silo), { exact: true });
      await tile.waitFor();
      await page.mouse.move(5, 5);
      // The device confirms within a second; the text before that follows from the answer to the stop.
      await page.locator('.movement .stop .button').click();
      await page.mouse.move(5, 5);
      const card = page.locator('.movement', { hasText: stopped });
      await card.waitFor();
      const seenMs = Date.now();
      const box = await card.boundingBox();
      assert.ok(box !== null && box.y >= 0 && box.y + box.height <= size.viewport.height);
      assert.match(
        (await card.textContent()) ?? '',
        new RegExp(texts.shell.movements.confirmed({ time: '\\d' })),
      );
      await page.getByRole('status').filter({ hasText: stopped }).waitFor({ state: 'attached' });
      assert.equal(await tile.count(), 1);
      await checkAccessibility(page);
      await card.waitFor({ state: 'detached' });
      assert.ok(Date.now() - seenMs > 8_000);
      await tile.waitFor({ state: 'detached' });
      assert.deepEqual(operator.record.faults, []);
    });

    test(`keeps the focus of the keyboard, and its place while the focus is there, ${width}`, async (t) => {
      const chosen = await silos(2);
      for (const one of chosen) await discharge(one);
      const operator = await opened(t, '#/alerts');
      if (operator === null) return;
      const { page } = operator;
      const stop = page.locator('.movement .stop .button').first();
      await stop.waitFor();
      for (let press = 0; press < 40; press++) {
        if (await stop.evaluate((button) => button === document.activeElement)) break;
        await page.keyboard.press('Tab');
      }
      await page.keyboard.press('Enter');
      await page.locator('.movement', { hasText: stopped }).waitFor();
      // A further press does nothing, and nothing else appeared at this place.
      await page.keyboard.press('Enter');
      await sleep(12_000);
      assert.equal(await stop.evaluate((button) => button === document.activeElement), true);
      assert.equal(await stop.getAttribute('aria-label'), over);
      const second = [...started.keys()][1] ?? '';
      assert.equal((await site.client.operations.get(chosen[1] ?? '', second)).ended_at, null);
    });

    test(`leaves the map as it is, ${width}`, async (t) => {
      const [silo = ''] = await silos(1);
      const operator = await opened(t, '#/map');
      if (operator === null) return;
      const { page } = operator;
      const surface = page.locator('.map-surface');
      await surface.waitFor();
      const before = await surface.boundingBox();
      await discharge(silo);
      await page.locator('.movement').waitFor();
      assert.deepEqual(await surface.boundingBox(), before);
    });
  });
}

describe('what moves while the page is not live', () => {
  test('is stopped by one press as soon as the service can be reached', async (t) => {
    t.after(stopAll);
    const chosen = await silos(6);
    for (const one of chosen) await discharge(one);
    const operator = await signIn(t, site, { viewport: PHONE });
    if (operator === null) return;
    const { page } = operator;
    await page.locator('.movement-count .button').waitFor();
    await site.killService();
    await page.getByText(/Not live since/).waitFor();
    await page.locator('.movement-count .button').click();
    for (const button of await page.locator('.movement-stop-all .button').all()) await button.click();
    await page.locator('.movement-list').getByText('Use the stop at the device').first().waitFor();
    await site.startAgain();
    for (const [operationId, deviceId] of started) {
      await eventually(
        async () => (await site.client.operations.get(deviceId, operationId)).status,
        'stopped',
      );
    }
    await page.locator('.movement-list .movement.ended').nth(5).waitFor();
    assert.equal(await page.locator('.movement-list .movement', { hasText: 'Stopped at' }).count(), 6);
  });
});
