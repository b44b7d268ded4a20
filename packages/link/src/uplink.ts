import { decode, payloadExcerpt, printable } from './codec.ts';
import { EXCERPT_CHARACTERS_MAX } from './limits.ts';
import type { LinkDevice, LinkHandler } from './port.ts';
import { isUpSubject, ownSubject } from './topics.ts';

/**
 * Hands one published message, or last will, to the service. Resolves once it may be acknowledged; rejects when the
 * connection has to be closed.
 */
export function deliver(
  handler: LinkHandler,
  device: LinkDevice,
  topic: string,
  payload: Buffer,
): Promise<void> {
  const subject = ownSubject(device.deviceId, topic);
  if (subject === null || !isUpSubject(subject)) return refuse(handler, device, topic, payload);
  const decoded = decode(device.kind, subject, payload);
  return 'reason' in decoded
    ? handler.rejected(device, rejectionOf(topic, decoded.reason, payload))
    : handler.received(device, decoded);
}

/** A device that writes where it must not is broken or hostile: somebody should see it, and it is not listened to. */
async function refuse(
  handler: LinkHandler,
  device: LinkDevice,
  topic: string,
  payload: Buffer,
): Promise<never> {
  const reason = 'topic is not this device’s to publish on';
  await handler.rejected(device, rejectionOf(topic, reason, payload));
  throw new Error(reason);
}

function rejectionOf(topic: string, reason: string, payload: Buffer) {
  return {
    topic: printable(topic, EXCERPT_CHARACTERS_MAX),
    reason,
    payloadExcerpt: payloadExcerpt(payload, EXCERPT_CHARACTERS_MAX),
  };
}
