import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { openBrowser, PageRecord } from '@granary/testing/server/browser';
import { localService } from '@granary/testing/server/local-service';
import { siloNamed } from '@granary/testing/server/service';
import type { Page } from 'playwright-core';

/** Pages are slow on a busy machine. */
const PATIENCE_MS = 90_000;
const FEED = '#operations-operations-operationsFeed';
const LIST_OF_SILOS = '#operations-devices-devicesSiloList';

describe('the page /docs in Chromium', () => {
  const { current, api } = localService({
    // The address differs from that of the page, as behind a proxy.
    env: { GRANARY_PUBLIC_URL: 'https://granary.example.com' },
  });
  before(() => api.post('/v1/siloscale/devices', siloNamed('silo-of-the-page')));

  test('tries a request with a key, chooses no device, forgets the key, and asks no other host', async (t) => {
    const browser = await openBrowser(t, { viewport: { width: 390, height: 844 } });
    if (browser === null) return;
    const page = await browser.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    const record = new PageRecord(page);
    await page.goto(`${current().httpUrl}/docs`);

    await page.click('.auth-wrapper button.authorize');
    await page.fill('.auth-container input', current().adminKey.key);
    await page.click('.auth-container button.authorize');
    await page.click('.auth-container .btn-done');
    await page.click('#operations-tag-devices');
    await page.click(`${LIST_OF_SILOS} .opblock-summary-control`);
    const answer = await tryList(page);
    assert.match(answer, /200/);
    assert.match(answer, /silo-of-the-page/);
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 390);

    await page.click('#operations-tag-operations');
    await page.click(`${FEED} .opblock-summary-control`);
    assert.equal(await page.inputValue(`${FEED} input[placeholder="device_id"]`), '');
    assert.deepEqual(record.faults, []);

    // Chromium itself writes the refusal to the console, so the console is not compared after it.
    const kept = 'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])';
    assert.equal(await page.evaluate(kept), '[{},{},""]');
    await page.reload();
    await page.click('#operations-tag-devices');
    await page.click(`${LIST_OF_SILOS} .opblock-summary-control`);
    assert.match(await tryList(page), /401.*unauthorized/s);
    assert.deepEqual([...record.hosts], [new URL(current().httpUrl).host]);
  });
});

/** Returns the status and the body that the page shows. */
async function tryList(page: Page): Promise<string> {
  await page.click(`${LIST_OF_SILOS} .execute`);
  return (await page.textContent(`${LIST_OF_SILOS} .live-responses-table tbody`)) ?? '';
}
