import { newId } from '@granary/app/ids';
import type { ApplicationResult } from '@granary/app/site/site';
import type { Applied } from '@granary/contract/site/apply';
import type { SiteDocument } from '@granary/contract/site/site-document';
import { newDeviceSecret } from '../../keys/secrets.ts';
import { newWebhookSecret } from '../../webhooks/signature.ts';

type ByName = Readonly<Record<string, string>>;

/** Ids and secrets for everything that a document names; only the transaction finds out which are needed. */
interface Generated {
  readonly deviceSecrets: ByName;
  readonly newWebhookIds: ByName;
  readonly webhookSecrets: ByName;
  readonly newRuleIds: ByName;
}

const forEach = (names: readonly string[], make: () => string): ByName =>
  Object.fromEntries(names.map((name) => [name, make()]));

export function generateFor(
  { devices = [], webhooks = [], notification_rules: rules = [] }: SiteDocument,
  nowMs: number,
): Generated {
  const urls = webhooks.map(({ url }) => url);
  return {
    deviceSecrets: forEach(
      devices.map(({ device_id }) => device_id),
      newDeviceSecret,
    ),
    newWebhookIds: forEach(urls, () => newId('wh', nowMs)),
    webhookSecrets: forEach(urls, newWebhookSecret),
    newRuleIds: forEach(
      rules.map(({ name }) => name),
      () => newId('nr', nowMs),
    ),
  };
}

/** The secrets of what was created. */
export function issuedSecrets(
  { changes, dry_run: isDryRun }: ApplicationResult,
  { deviceSecrets, newWebhookIds, webhookSecrets }: Generated,
): Pick<Applied, 'credentials' | 'webhook_secrets'> {
  const createdIn = (section: string) =>
    changes
      .filter(({ action, path }) => !isDryRun && action === 'create' && path.startsWith(`/${section}/`))
      .map(({ id }) => id);
  return {
    credentials: createdIn('devices').map((username) => ({
      username,
      secret: deviceSecrets[username] ?? '',
    })),
    webhook_secrets: createdIn('webhooks').map((url) => ({
      webhook_id: newWebhookIds[url] ?? '',
      url,
      secret: webhookSecrets[url] ?? '',
    })),
  };
}
