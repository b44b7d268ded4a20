import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { ReadSlices } from '@granary/app/app';
import { newId } from '@granary/app/ids';
import type { ApplicationResult } from '@granary/app/site/site';
import { endpoints } from '@granary/contract/endpoints/endpoints';
import { YAML_TYPE } from '@granary/contract/endpoints/site';
import { NOTIFICATION_RULES_MAX } from '@granary/contract/notifications';
import type { Applied, SiteDevice, SiteDocument } from '@granary/contract/site';
import { WEBHOOKS_MAX } from '@granary/contract/webhooks';
import { policyOf } from '@granary/core/sign-on';
import { siteDevice } from '@granary/core/site/site-device';
import { siteRule } from '@granary/core/site/site-rule';
import { siteWebhook } from '@granary/core/site/site-webhook';
import type { FastifyInstance } from 'fastify';
import { newWebhookSecret } from '../../background/webhooks/sender.ts';
import { hashSecret, newDeviceSecret } from '../../process/keys/secrets.ts';
import { refuseLimited } from '../access/credentials.ts';
import { preferredType } from '../protocol/accept.ts';
import { success } from '../protocol/answers.ts';
import { acceptAlso } from '../protocol/json-body.ts';
import { registerLong } from '../register.ts';
import type { Parts } from '../route-dependencies.ts';
import { readYaml, writeYaml } from './yaml.ts';

const DEVICES_PER_READ = 200;

/** The routes concern the configuration of the whole site, so a key that is limited to a part of it has no access. */
export function siteRoutes(
  routes: FastifyInstance,
  parts: Parts<'settings' | 'reads' | 'link' | 'idempotency' | 'addressGuard' | 'now'>,
): void {
  const { reads, idempotency, addressGuard, link, settings, now } = parts;
  acceptAlso(routes, YAML_TYPE, (text, request) => readYaml(text, request.caller.keyId));
  // Limited keys are refused before the body is read, because reading YAML costs much.
  routes.addHook('preParsing', async (request) => refuseLimited(request, 'export or apply a document'));

  registerLong(routes, endpoints.site.export, async ({ request, reply, read }) => {
    const { facility = null } = read.query(request);
    const devices = await readDevices(reads(request), facility);
    const policy = facility === null ? await reads(request).signOn.policy() : policyOf({});
    const document: SiteDocument = {
      version: 1,
      devices,
      ...(await readNotifications(reads(request))),
      // A policy that nobody has changed is left out, so that it does not replace the policy of another site.
      ...(isDeepStrictEqual(policy, policyOf({})) ? {} : { sign_in_policy: policy }),
    };
    reply.header('vary', 'accept');
    const type = preferredType(request.headers.accept, ['application/json', YAML_TYPE]);
    if (type === 'application/json') return success(document);
    return reply.type(`${YAML_TYPE}; charset=utf-8`).send(await writeYaml(document));
  });

  registerLong(routes, endpoints.site.apply, async (exchange) => {
    const { request, read } = exchange;
    const isDryRun = read.query(request).dry_run === 'true';
    const document = read.body(request);
    const { devices = [] } = document;
    if (!isDryRun)
      await link.access.readyToRegister(
        devices.map(({ device_id }) => device_id),
        request.time,
      );
    const nowMs = now();
    const generated = generateFor(document, nowMs);
    const unreachableUrls = (document.webhooks ?? [])
      .map(({ url }) => url)
      .filter((url) => URL.canParse(url) && !addressGuard.acceptsHost(new URL(url).hostname));
    const canSendMail = settings.smtp !== null;
    const secretHashes = Object.fromEntries(
      Object.entries(generated.deviceSecrets).map(([deviceId, secret]) => [deviceId, hashSecret(secret)]),
    );
    const { result, secret } = await idempotency.onceWithSecret(
      exchange,
      JSON.stringify(generated),
      (slices) =>
        slices.site.apply({
          ...generated,
          document,
          isDryRun,
          secretHashes,
          unreachableUrls,
          canSendMail,
          nowMs,
        }),
    );
    const issued = issuedSecrets(result, JSON.parse(secret));
    await link.access.give(
      issued.credentials.map(({ username: deviceId, secret }) => ({ deviceId, secret })),
      request.time,
    );
    return success({ ...result, ...issued });
  });
}

/** Reads the devices in several reads, so that other requests are served in between. */
async function readDevices(reads: Pick<ReadSlices, 'site'>, facility: string | null): Promise<SiteDevice[]> {
  const devices: SiteDevice[] = [];
  for (;;) {
    const afterDeviceId = devices.at(-1)?.device_id ?? null;
    const page = await reads.site.devices({ facility, afterDeviceId, limit: DEVICES_PER_READ });
    devices.push(...page.map(siteDevice));
    if (page.length < DEVICES_PER_READ) return devices;
    await nextTurn();
  }
}

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

function generateFor(
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

/** The secrets of the devices and webhooks that were created. */
function issuedSecrets(
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

/** The webhooks and notification rules of a document; a rule without a target that can be named is left out. */
async function readNotifications(
  reads: Pick<ReadSlices, 'webhooks' | 'notifications'>,
): Promise<Pick<Required<SiteDocument>, 'webhooks' | 'notification_rules'>> {
  const webhooks = await reads.webhooks.list({ afterWebhookId: null, limit: WEBHOOKS_MAX });
  const rules = await reads.notifications.listRules({ afterRuleId: null, limit: NOTIFICATION_RULES_MAX });
  const urlOf = new Map(webhooks.map(({ webhookId, url }) => [webhookId, url]));
  const named = rules.map(({ content }) => siteRule(content, { urlOf, idOf: new Map() }));
  return {
    webhooks: webhooks.map(siteWebhook),
    notification_rules: named
      .map((rule) => ({
        ...rule,
        escalation: rule.escalation?.filter(({ targets }) => targets.length > 0) ?? [],
      }))
      .filter(({ targets }) => targets.length > 0),
  };
}
