import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { FaultyProxy } from '@granary/testing/client/faulty-proxy';
import { type Operator, signIn } from '@granary/testing/console/operator';
import { RunningSite } from '@granary/testing/console/running-site';
import { eventually } from '@granary/testing/server/eventually';
import type { Page } from 'playwright-core';

/** The rate is so low that the discharge runs until it is stopped. */
const DISCHARGE = { amount: 200, rate: 6, rate_unit: 'kg/min', target_container: 'Truck 7' } as const;

/** By then two heartbeats are missing; the rest is time for a busy machine. */
const NOTICED_WITHIN_MS = 12_000;

let site: RunningSite;
before(async () => {
  site = await RunningSite.start();
});
after(() => site.stop());

interface BehindRelay {
  readonly operator: Operator;
  readonly relay: FaultyProxy;
}

/** Opens the page behind a relay, which keeps every connection and passes nothing on while it loses both directions. */
async function behindRelay(t: TestContext): Promise<BehindRelay | null> {
  const relay = await FaultyProxy.start(t, site.url);
  const operator = await signIn(t, { url: relay.url, apiKey: site.apiKey });
  if (operator === null) return null;
  await operator.page.getByText('Live', { exact: true }).waitFor();
  return { operator, relay };
}

function goSilent(relay: FaultyProxy): number {
  relay.losesAnswers = true;
  relay.losesRequests = true;
  return Date.now();
}

async function tellsSilence(page: Page): Promise<void> {
  // It is read in one step, because another sign follows it after some seconds, which are short on a busy machine.
  const { text, isSeen } = await page
    .locator('.connection-sign.silent')
    .evaluate(
      (element) => ({ text: element.textContent ?? '', isSeen: element.checkVisibility() }),
      undefined,
      { timeout: NOTICED_WITHIN_MS },
    );
  assert.match(text, /^No news for \d+\ss/);
  assert.equal(isSeen, true);
}

test('a connection that passes nothing is told within seconds while something moves, with the time of the last thing heard', async (t) => {
  const found = await behindRelay(t);
  if (found === null) return;
  const { page } = found.operator;
  const { operation_id } = await site.client.operations.discharge('silo-02', DISCHARGE);
  t.after(() => site.client.operations.stop('silo-02', operation_id));
  await page.locator('.movement-foot .movement').waitFor();
  // This is longer than a silence that would be shown.
  await sleep(10_000);
  assert.equal(await page.getByText('Live', { exact: true }).count(), 1);
  const silentAtMs = goSilent(found.relay);
  await tellsSilence(page);
  t.diagnostic(`told after ${Date.now() - silentAtMs} ms`);
  const line = page.getByText(/^Not live since \d\d:\d\d:\d\d/);
  await line.waitFor({ timeout: NOTICED_WITHIN_MS });
  t.diagnostic(`not live after ${Date.now() - silentAtMs} ms`);
  const since = /\d\d:\d\d:\d\d/.exec((await line.textContent()) ?? '')?.[0] ?? '';
  const secondsOf = (clock: string): number =>
    clock.split(':').reduce((seconds, part) => seconds * 60 + Number(part), 0);
  const silentAt = new Date(silentAtMs).toLocaleTimeString('en-GB', { timeZone: 'Europe/Berlin' });
  const lateS = (secondsOf(since) - secondsOf(silentAt) + 86_400) % 86_400;
  t.diagnostic(`silent at ${silentAt}, not live since ${since}`);
  assert.ok(
    lateS <= 1 || lateS >= 86_400 - 5,
    `${since} is not the time of the last thing heard, ${silentAt}`,
  );
});

test('news that come again are told, and nothing is read anew', async (t) => {
  const found = await behindRelay(t);
  if (found === null) return;
  const { page } = found.operator;
  const { operation_id } = await site.client.operations.discharge('silo-02', DISCHARGE);
  t.after(() => site.client.operations.stop('silo-02', operation_id));
  await page.locator('.movement-foot .movement').waitFor();
  goSilent(found.relay);
  await tellsSilence(page);
  found.relay.losesAnswers = false;
  found.relay.losesRequests = false;
  await page.getByText('Live', { exact: true }).waitFor({ timeout: NOTICED_WITHIN_MS });
  assert.equal(await page.getByText(/^Not live since/).count(), 0);
});

test('a refused connection is told at once', async (t) => {
  const found = await behindRelay(t);
  if (found === null) return;
  found.relay.targetPort = null;
  found.relay.cut();
  await eventually(() => found.operator.page.getByText(/^Not live since/).count(), 1);
});
