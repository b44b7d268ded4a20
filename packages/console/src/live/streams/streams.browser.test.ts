import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Operator, signIn } from '@granary/testing/console/operator';
import { RunningSite } from '@granary/testing/console/running-site';
import { eventually } from '@granary/testing/server/eventually';
import type { Page } from 'playwright-core';

/** A browser opens at most six connections to a service. */
const WINDOWS = 7;
/** A request that gets no connection waits for ever. */
const ANSWERED_WITHIN_MS = 30_000;

async function openWindows({ page }: Operator, url: string): Promise<Page[]> {
  const pages = [page];
  while (pages.length < WINDOWS) {
    const next = await page.context().newPage();
    await next.goto(`${url}/#/devices/silo-02`);
    pages.push(next);
  }
  return pages;
}

const areLive = (pages: readonly Page[]): Promise<unknown> =>
  Promise.all(
    pages.map((page) => page.getByText('Live', { exact: true }).waitFor({ timeout: ANSWERED_WITHIN_MS })),
  );

const answers = (page: Page): Promise<number> =>
  page.evaluate<number>(
    `fetch('/v1/overview', { signal: AbortSignal.timeout(${ANSWERED_WITHIN_MS}) }).then(({ status }) => status)`,
  );

async function openStreams({ url, apiKey }: RunningSite): Promise<number> {
  const metrics = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${apiKey}` } });
  return Number(/^granary_event_streams (\d+)$/m.exec(await metrics.text())?.[1]);
}

/** Hides the page as a browser does with a page that is behind another one. */
const HIDE = `
  Object.defineProperty(document, 'hidden', { value: true });
  document.dispatchEvent(new Event('visibilitychange'));
`;

describe('many windows of one browser', () => {
  let site: RunningSite;

  before(async () => {
    site = await RunningSite.start();
  });
  after(() => site.stop());

  test('are all live, every request is answered, a stop works in each, and closing some disturbs no other, and they are signed out together', async (t) => {
    const operator = await signIn(t, site);
    if (operator === null) return;
    const pages = await openWindows(operator, site.url);
    await areLive(pages);
    assert.deepEqual(
      await Promise.all(pages.map(answers)),
      pages.map(() => 200),
    );
    for (const page of [pages[0], pages[WINDOWS - 1]]) {
      const { operation_id } = await site.client.operations.discharge('silo-02', {
        amount: 400,
        target_container: 'truck 12',
      });
      await page?.getByRole('button', { name: 'Stop Calf starter' }).first().click();
      await eventually(
        async () => (await site.client.operations.get('silo-02', operation_id)).status,
        'stopped',
      );
    }
    await Promise.all(pages.splice(1, 4).map((page) => page.close()));
    await site.client.devices.silo.update('silo-02', { name: 'Calf starter B' });
    await Promise.all(pages.map((page) => page.getByRole('heading', { name: 'Calf starter B' }).waitFor()));
    await site.client.devices.silo.update('silo-02', { name: 'Calf starter' });
    await areLive(pages);
    await operator.page.getByLabel('Settings').click();
    await operator.page.getByRole('button', { name: 'Sign out' }).click();
    await Promise.all(pages.map((page) => page.getByLabel('API key').waitFor()));
  });

  test('hold each stream once, also when they are reloaded or hidden', async (t) => {
    const operator = await signIn(t, site);
    if (operator === null) return;
    const pages = await openWindows(operator, site.url);
    await areLive(pages);
    // The two streams are those of events and of newest values.
    await eventually(() => openStreams(site), 2);
    await Promise.all(pages.slice(0, 5).map((page) => page.reload()));
    await areLive(pages);
    await eventually(() => openStreams(site), 2);
    await Promise.all(pages.map((page) => page.evaluate(HIDE)));
    await eventually(() => openStreams(site), 1);
    await areLive(pages);
  });

  test('show the rights of the key that one of them signs in with', async (t) => {
    const { key } = await site.client.keys.create({ name: 'display', scopes: ['read'] });
    const operator = await signIn(t, site);
    if (operator === null) return;
    const first = operator.page;
    await first.getByText('Live', { exact: true }).waitFor();
    const second = await first.context().newPage();
    await second.goto(site.url);
    const answer = await second.evaluate<number>(
      `fetch('/v1/session', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ api_key: '${key}' }) }).then(({ status }) => status)`,
    );
    assert.equal(answer, 200);
    await second.reload();
    await second.getByText('Live', { exact: true }).waitFor();
    const menu = first.locator('.settings-menu');
    await eventually(
      async () => ((await menu.textContent()) ?? '').includes('Signed in with the key display'),
      true,
    );
  });
});
