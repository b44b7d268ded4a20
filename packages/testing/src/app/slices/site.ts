import { siteDevice } from '@granary/core/site/site-device';
import { newDevice } from '../fixtures.ts';
import { atMs, LIMIT, type WhoMayOf, type WriteRound, type WritesOf } from '../write-round.ts';

/** Applies a document that changes the devices of other writes and creates one; the nodes name them in opposite order. */
async function applySite(round: WriteRound): Promise<unknown> {
  const { app, node } = round;
  const listed = await app.site.devices({ facility: null, afterDeviceId: null, limit: LIMIT });
  const known = listed.filter(({ deviceId }) => !deviceId.startsWith('removed-'));
  const created = { ...newDevice({ deviceId: `site-${round.round}` }), removedAtMs: null };
  const url = 'https://example.com/site';
  const devices = [...known, created].map((device) => ({
    ...siteDevice(device),
    name: `Device ${round.round}`,
    configuration: { reporting: { offline_delay_s: 30 + (round.round % 5) } },
  }));
  return await app.site.apply({
    document: {
      version: 1,
      devices: node % 2 ? devices : devices.toReversed(),
      webhooks: [{ url, description: `round ${round.round}` }],
      notification_rules: [
        { name: 'of the site', targets: [{ webhook_url: url }], resolved: round.round % 2 === 0 },
      ],
    },
    isDryRun: false,
    secretHashes: { [created.deviceId]: 'hash' },
    newWebhookIds: { [url]: `wh_site_${round.round}_${node}` },
    webhookSecrets: { [url]: 'whsec_c2VjcmV0' },
    newRuleIds: { 'of the site': `nr_site_${round.round}_${node}` },
    unreachableUrls: [],
    canSendMail: true,
    nowMs: atMs(round),
  });
}

export const whoMay: WhoMayOf<'site'> = { apply: 'rights' };

export const writes: WritesOf<'site'> = { apply: (round) => [applySite(round)] };
