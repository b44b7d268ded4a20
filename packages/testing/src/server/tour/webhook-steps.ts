import type { TourClient } from './tour-client.ts';

/** The webhook is disabled, so that nothing is sent. */
export async function webhooks(client: TourClient): Promise<void> {
  const wanted = { url: 'https://receiver.test/', event_types: ['alert.raised'], enabled: false };
  const made = await client.step('POST', '/v1/webhooks', { body: wanted });
  const path = `/v1/webhooks/${made.body.data.webhook_id}`;
  await client.step('POST', '/v1/webhooks', { body: { url: 'gopher://x', event_types: ['weather'] } });
  await client.step('POST', '/v1/webhooks', { body: { url: 'http://127.0.0.1/' } });
  await client.step('GET', path);
  await client.step('PATCH', path, { body: { severities: ['critical'], description: 'duty' } });
  await client.step('POST', `${path}/test`);
  await client.step('POST', `${path}/rotate-secret`, { body: { overlap_seconds: 0 } });
  await client.step('GET', `${path}/deliveries?status=dead`);
  await client.step('POST', `${path}/replay`, { body: { dead: true } });
  await client.step('POST', `${path}/replay`, { body: {} });
  await client.step('DELETE', path);
  await client.step('POST', `${path}/enable`);
  await client.step('GET', '/v1/webhooks');
}
