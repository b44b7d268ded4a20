import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AppReads } from '@granary/app/app';
import { endpoints } from '@granary/contract/endpoints/endpoints';
import { YAML_TYPE } from '@granary/contract/endpoints/site';
import type { SiteDevice, SiteDocument } from '@granary/contract/site/site-document';
import { siteDevice } from '@granary/core/site/site-device';
import type { FastifyInstance } from 'fastify';
import { hashSecret } from '../../keys/secrets.ts';
import { refuseLimited } from '../access/unlimited-keys.ts';
import { preferredType } from '../protocol/accept.ts';
import { success } from '../protocol/answers.ts';
import { acceptAlso } from '../protocol/json-body.ts';
import { registerLong } from '../register.ts';
import type { RouteDependencies } from '../route-dependencies.ts';
import { generateFor, issuedSecrets } from './generated-secrets.ts';
import { readNotifications } from './read-notifications.ts';
import { readYaml, writeYaml } from './yaml.ts';

const DEVICES_PER_READ = 200;

/** The configuration of the whole site, so a key that is limited to a part of it has no access. */
export function siteRoutes(routes: FastifyInstance, parts: RouteDependencies): void {
  const { app, idempotency, addressGuard, link, settings, now } = parts;
  acceptAlso(routes, YAML_TYPE, (text, request) => readYaml(text, request.caller.keyId));
  // Before the body is read, because YAML costs much to read.
  routes.addHook('preParsing', async (request) => refuseLimited(request, 'export or apply a document'));

  registerLong(routes, endpoints.site.export, async (request, reply, read) => {
    const { facility = null } = read.query(request);
    const devices = await readDevices(app, facility);
    const document: SiteDocument = { version: 1, devices, ...(await readNotifications(app)) };
    reply.header('vary', 'accept');
    const type = preferredType(request.headers.accept, ['application/json', YAML_TYPE]);
    if (type === 'application/json') return success(document);
    return reply.type(`${YAML_TYPE}; charset=utf-8`).send(await writeYaml(document));
  });

  registerLong(routes, endpoints.site.apply, async (request, reply, read) => {
    const isDryRun = read.query(request).dry_run === 'true';
    const document = read.body(request);
    const { devices = [] } = document;
    if (!isDryRun) await link.access.readyToRegister(devices.map(({ device_id }) => device_id));
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
      request,
      reply,
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
    );
    return success({ ...result, ...issued });
  });
}

/** In several reads, so that other requests are served in between. */
async function readDevices(app: Pick<AppReads, 'site'>, facility: string | null): Promise<SiteDevice[]> {
  const devices: SiteDevice[] = [];
  for (;;) {
    const afterDeviceId = devices.at(-1)?.device_id ?? null;
    const page = await app.site.devices({ facility, afterDeviceId, limit: DEVICES_PER_READ });
    devices.push(...page.map(siteDevice));
    if (page.length < DEVICES_PER_READ) return devices;
    await nextTurn();
  }
}
