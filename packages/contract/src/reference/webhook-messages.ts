import { Type } from 'typebox';
import { closed } from '../input/schema.ts';
import { LoggedEvent } from '../logged-event.ts';
import { Timestamp } from '../time.ts';
import { TEST_MESSAGE } from '../webhooks.ts';
import type { ComponentSchemas, Json, JsonObject } from './component-schemas.ts';

/** What a webhook gets beside events. */
const Message = closed({
  id: Type.String(),
  type: Type.Enum(['notification', TEST_MESSAGE]),
  at: Timestamp,
  data: Type.Record(Type.String(), Type.Unknown()),
});

const header = (name: string, description: string): Json => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
});

const HEADERS: readonly Json[] = [
  header('webhook-id', 'Stays the same when the message is sent again.'),
  header('webhook-timestamp', 'When this attempt was made, in seconds since 1970.'),
  header('webhook-signature', 'By Standard Webhooks, with the secret of the webhook; two during a rotation.'),
];

/** The requests that the service sends to a registered webhook. */
export function webhookMessages(schemas: ComponentSchemas): JsonObject {
  const message = (operationId: string, summary: string, schema: Json): JsonObject => ({
    post: {
      operationId,
      tags: ['webhooks'],
      summary,
      security: [],
      parameters: HEADERS,
      requestBody: { required: true, content: { 'application/json': { schema } } },
      responses: {
        '2XX': { description: 'Accepted; the body is ignored.' },
        '4XX': { description: 'The message is sent again later; 410 disables the webhook.' },
      },
    },
  });
  return {
    event: message('webhookEvent', 'An event that matches the webhook.', schemas.use(LoggedEvent, 'answer')),
    message: message(
      'webhookMessage',
      'A notification about alerts, or the message of a test.',
      schemas.use(Message, 'answer'),
    ),
  };
}
