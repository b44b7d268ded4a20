import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { signIn } from '@granary/testing/console/operator';
import { RunningSite } from '@granary/testing/console/running-site';
import { openOwnBrowser } from '@granary/testing/server/browser';
import { ChromiumPushService, isKnownAddress } from '@granary/testing/server/chromium-push-service';
import { eventually } from '@granary/testing/server/eventually';

const SILO = 'silo-05';
const REGISTRATION = 'navigator.serviceWorker.ready';

let site: RunningSite;
let service: ChromiumPushService;
before(async () => {
  service = await new ChromiumPushService().start();
  site = await RunningSite.start(0, {}, { GRANARY_PUSH_ORIGINS: service.origin });
});
after(async () => {
  await site.stop();
  service.stop();
});

test('a browser registers at its push service, and shows what reaches it in the language of the person', async (t) => {
  const context = await openOwnBrowser(t, service.switches);
  if (context === null) return;
  await context.addInitScript(service.pageScript);
  await context.grantPermissions(['notifications']);
  const operator = await signIn(t, site, { context, hasServiceWorker: true });
  if (operator === null) return;
  const { page } = operator;
  const shown = async (): Promise<string> =>
    String(
      await page.evaluate(`${REGISTRATION}.then((one) => one.getNotifications())
        .then((all) => all.map(({ title, body }) => title + ': ' + body).join(' | '))`),
    );
  await operator.open('#/me');
  const panel = page.getByRole('region', { name: 'Notifications on this device' });
  await panel.getByRole('button', { name: 'Turn on' }).click();
  await panel.getByText('On: messages reach this device.').waitFor();
  const endpoint = await page.evaluate<string>(
    `${REGISTRATION}.then(({ pushManager }) => pushManager.getSubscription()).then((own) => own.endpoint)`,
  );
  assert.ok(isKnownAddress(endpoint), `${endpoint} would be refused outside of this test`);
  await panel.getByRole('button', { name: 'Send test' }).click();
  await eventually(shown, 'Granary: Messages reach this device.');

  await page.evaluate("localStorage.setItem('granary.language', 'de')");
  await page.reload();
  await page
    .getByText('Eingeschaltet')
    .or(page.getByRole('button', { name: 'Ausschalten' }))
    .first()
    .waitFor();
  await site.client.configuration.silo.update(SILO, {
    thresholds: { low_level: 99, critical_level: 98, high_level: 100 },
  });
  await eventually(async () => /Kritisch: Pellet heating: Füllstand/.test(await shown()), true);
});
