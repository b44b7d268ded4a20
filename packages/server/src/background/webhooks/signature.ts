import { createHmac, randomBytes } from 'node:crypto';
import { SECOND_MS } from '@granary/contract/time';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

export const newWebhookSecret = (): string => PREFIX + randomBytes(SECRET_BYTES).toString('base64');

interface SignedMessage {
  readonly messageId: string;
  readonly body: string;
  readonly secrets: readonly string[];
  readonly nowMs: number;
}

/** The headers of Standard Webhooks, with one signature for each secret. */
export function signatureHeaders({ messageId, body, secrets, nowMs }: SignedMessage) {
  const timestamp = String(Math.floor(nowMs / SECOND_MS));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${messageId}.${timestamp}.${body}`).digest('base64')}`;
  });
  return {
    'webhook-id': messageId,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}
