import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { createClient } from '@granary/client';
import { checkAccessibility, PHONE } from '@granary/testing/console/operator';
import { openBrowser, PageRecord } from '@granary/testing/server/browser';
import { eventually } from '@granary/testing/server/eventually';
import { TestProvider } from '@granary/testing/server/identity-provider';
import { type ServiceProcess, startServiceProcess } from '@granary/testing/server/service-process';
import type { Page } from 'playwright-core';

const PATIENCE_MS = 90_000;

/** The service is at 127.0.0.1 and the provider at localhost, which are two sites for a browser. */
describe('single sign-on in Chromium, with a provider on another site', () => {
  let provider: TestProvider;
  let service: ServiceProcess;
  let folder = '';

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'granary-sign-on-'));
    provider = await TestProvider.start();
    service = await startServiceProcess({
      ...provider.settings,
      GRANARY_DATA_DIR: folder,
      GRANARY_LINK_THREADS: '0',
    });
    provider.serve(service.httpUrl);
  });
  after(async () => {
    await service.stop();
    await provider.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function openPage(t: TestContext, options: Parameters<typeof openBrowser>[1] = {}) {
    const context = await openBrowser(t, { locale: 'en-GB', ...options });
    if (context === null) return null;
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    return page;
  }

  async function signInAtProvider(page: Page, login: string): Promise<void> {
    await page.locator('input[name=login]').fill(login);
    await page.locator('input[name=password]').fill('any');
    await page.locator('button[type=submit]').click();
    await page.locator('input[name=prompt][value=consent]').waitFor({ state: 'attached' });
    await page.locator('button[type=submit]').click();
  }

  const sections = (page: Page) => page.getByRole('navigation', { name: 'Sections' });

  test('a person signs in, is let in by the next click, and finds the view that was wanted', async (t) => {
    provider.people.set('ada', { name: 'Ada Lovelace', groups: ['operators'] });
    const client = createClient({ baseUrl: service.httpUrl, apiKey: service.adminKey.key });
    await client.signOn.putPolicy({ groups: [{ group: 'operators', role: 'operator' }] });
    const page = await openPage(t);
    if (page === null) return;
    const record = new PageRecord(page);
    await page.goto(`${service.httpUrl}/#/alerts`);
    await page.getByRole('button', { name: 'Sign in with Farm ID' }).waitFor();
    await page.getByLabel('API key').waitFor();
    await checkAccessibility(page);
    await page.getByRole('button', { name: 'Sign in with Farm ID' }).click();
    await signInAtProvider(page, 'ada');
    await sections(page).waitFor();
    assert.equal(page.url(), `${service.httpUrl}/#/alerts`);
    await page.getByLabel('Settings: Ada Lovelace').waitFor();
    const ofService = record.faults.filter((fault) => fault.includes(service.httpUrl));
    assert.deepEqual(ofService, []);
    await page.reload();
    await sections(page).waitFor();
    // Going back through the history does not lead to a second session.
    await page.getByLabel('Settings: Ada Lovelace').click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    const button = page.getByRole('button', { name: 'Sign in with Farm ID' });
    await button.click();
    await sections(page).waitFor();
  });

  test('whoever has no group sees which groups came, on a phone and in German', async (t) => {
    provider.people.set('eve', { groups: ['payroll', '<b>bold</b>'] });
    const page = await openPage(t, { viewport: PHONE, locale: 'de-DE' });
    if (page === null) return;
    await page.goto(service.httpUrl);
    await page.getByRole('button', { name: 'Anmelden mit Farm ID' }).click();
    await signInAtProvider(page, 'eve');
    await page.getByRole('heading', { name: 'Sie sind nicht angemeldet' }).waitFor();
    await page.getByText('payroll').waitFor();
    await page.getByText('<b>bold</b>').waitFor();
    await checkAccessibility(page);
    await page.getByRole('link', { name: 'Zurück zur Anmeldung' }).press('Enter');
    await page.getByRole('button', { name: 'Anmelden mit Farm ID' }).waitFor();
  });

  test('an invited person chooses the provider instead of a password', async (t) => {
    provider.people.set('grace', { groups: [] });
    const client = createClient({ baseUrl: service.httpUrl, apiKey: service.adminKey.key });
    const invited = { login: 'gh', name: 'Grace Hopper', grants: [{ role: 'engineer' as const }] };
    const { code } = await client.people.invite(invited);
    const page = await openPage(t);
    if (page === null) return;
    await page.goto(`${service.httpUrl}/#invite=${code}`);
    await page.getByText('Welcome').waitFor();
    await page.getByRole('button', { name: 'Sign in with Farm ID' }).click();
    await signInAtProvider(page, 'grace');
    await page.getByLabel('Settings: Grace Hopper').waitFor();
  });

  test('a person with a password links an identity on their own page, on a phone', async (t) => {
    provider.people.set('lin.here', { groups: [] });
    const client = createClient({ baseUrl: service.httpUrl, apiKey: service.adminKey.key });
    const invited = { login: 'lin', name: 'Lin', grants: [{ role: 'viewer' as const }] };
    const { code } = await client.people.invite(invited);
    const page = await openPage(t, { viewport: PHONE });
    if (page === null) return;
    await page.goto(`${service.httpUrl}/#invite=${code}`);
    const password = 'seven geese behind the hedge';
    await page.getByLabel('Choose a password').fill(password);
    await page.getByRole('button', { name: 'Continue' }).click();
    await sections(page).waitFor();
    await page.goto(`${service.httpUrl}/#/me`);
    await page.getByRole('button', { name: 'Link Farm ID' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Present password').fill('not this one');
    await checkAccessibility(page);
    await page.keyboard.press('Enter');
    await dialog.getByText(/password is not right/).waitFor();
    await dialog.getByLabel('Present password').fill(password);
    await page.keyboard.press('Enter');
    await signInAtProvider(page, 'lin.here');
    await page.getByText('You can sign in with Farm ID.').waitFor();
    assert.equal(page.url(), `${service.httpUrl}/#/me`);
    await checkAccessibility(page);
    // The session began with the provider, so it ends; the password still signs in.
    await page.getByRole('button', { name: 'Unlink Farm ID' }).click();
    await checkAccessibility(page);
    await dialog.getByLabel('Present password').fill(password);
    await dialog.getByRole('button', { name: 'Unlink Farm ID' }).click();
    await page.getByLabel('Name for signing in').fill('lin');
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Link Farm ID' }).waitFor();
    assert.equal(await page.getByText('You can sign in with Farm ID.').count(), 0);
    assert.equal(await page.getByRole('button', { name: 'Unlink Farm ID' }).count(), 0);
  });

  test('while the provider is away the form says so, and a key signs in', async (t) => {
    const page = await openPage(t);
    if (page === null) return;
    provider.become('away');
    t.after(() => provider.become('working'));
    const client = createClient({ baseUrl: service.httpUrl, apiKey: service.adminKey.key });
    assert.equal((await client.signOn.provider()).answers, false);
    await page.goto(service.httpUrl);
    await page.getByRole('button', { name: 'Sign in with Farm ID' }).click();
    await page
      .getByRole('alert')
      .getByText(/identity provider does not answer/)
      .waitFor();
    await page.getByRole('button', { name: 'Use a key' }).click();
    await page.getByLabel('API key').fill(service.adminKey.key);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByLabel('Your name').fill('Bea');
    await page.keyboard.press('Enter');
    await sections(page).waitFor();
  });

  test('an administrator gives a group a role, sees who came, and takes the role away', async (t) => {
    const page = await openPage(t);
    if (page === null) return;
    await page.addInitScript("localStorage.setItem('granary.person', 'Bea')");
    const client = createClient({ baseUrl: service.httpUrl, apiKey: service.adminKey.key });
    const { code } = await client.session.createCode();
    await page.goto(`${service.httpUrl}/#sign-in=${code}`);
    await sections(page).waitFor();
    await page.goto(`${service.httpUrl}/#/administration/sign-in`);
    await page.getByText('Answers', { exact: true }).waitFor();
    await page.getByText(`${service.httpUrl}/v1/session/oidc/callback`).waitFor();
    await page.getByRole('button', { name: 'Add group' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Group', { exact: true }).fill('/silos/engineers');
    await dialog.getByLabel('Role').selectOption('engineer');
    await checkAccessibility(page);
    await dialog.getByRole('button', { name: 'Add group' }).click();
    await page.getByRole('cell', { name: 'Engineer (everywhere)' }).waitFor();
    await page.getByRole('cell', { name: 'Refused: no group with a role' }).first().waitFor();
    await checkAccessibility(page);
    const factor = page.getByLabel('Whoever administers needs a second factor or a passkey');
    for (const [isNeeded, who] of [
      [true, 'administrators'],
      [false, 'nobody'],
    ] as const) {
      await factor.click();
      await eventually(async () => (await client.signOn.policy()).second_factor_for, who);
      await eventually(() => factor.isChecked(), isNeeded);
    }
    await page.getByRole('button', { name: 'Remove the role of /silos/engineers' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('cell', { name: 'Engineer (everywhere)' }).waitFor({ state: 'detached' });
    assert.ok((await client.signOn.policy()).groups.every(({ role }) => role !== 'engineer'));
  });
});
