import type { UpSubject } from '@granary/contract/link/messages';
import { sentence } from '@granary/contract/sentences/codes';
import { inEnglish } from '@granary/contract/sentences/english';
import { decode, payloadExcerpt, printable, type Undecodable } from '../codec.ts';
import { EXCERPT_CHARACTERS_MAX } from '../limits.ts';
import { ProtocolFault } from '../mqtt/packet-types.ts';
import type { LinkDevice, LinkHandler, MessageOutcome, UplinkMessage } from '../port.ts';
import { isUpSubject, ownSubject } from '../topics.ts';

/**
 * Passes one published message or last will to the service. Resolves when the message may be acknowledged; rejects when
 * the connection must be closed.
 */
export function deliver(
  handler: LinkHandler,
  device: LinkDevice,
  topic: string,
  payload: Buffer,
): Promise<MessageOutcome> {
  const subject = ownSubject(device.deviceId, topic);
  if (subject === null || !isUpSubject(subject)) {
    const told = sentence('topic_of_others');
    const message = rejectionOf(topic, inEnglish(told), payload);
    return Promise.reject(new ProtocolFault(told, message.topic, message.payloadExcerpt));
  }
  const decoded = decodeSafely(device, subject, payload);
  if (!('reason' in decoded)) return handler.received(device, decoded);
  const { reason, cause } = decoded;
  const rejection = { ...rejectionOf(topic, reason, payload), ...(cause === undefined ? {} : { cause }) };
  return handler.rejected(device, rejection).then(() => 'rejected');
}

/** A message that makes the decoder throw would do so at every repetition, so it is rejected like an invalid one. */
export function decodeSafely(
  device: Pick<LinkDevice, 'profile'>,
  subject: UpSubject,
  payload: Buffer,
): UplinkMessage | Undecodable {
  try {
    return decode(device.profile, subject, payload);
  } catch {
    const reason = 'payload could not be checked';
    return subject === 'telemetry' ? { reason, cause: { code: 'other', text: reason } } : { reason };
  }
}

function rejectionOf(topic: string, reason: string, payload: Buffer) {
  return {
    topic: printable(topic, EXCERPT_CHARACTERS_MAX),
    reason,
    payloadExcerpt: payloadExcerpt(payload, EXCERPT_CHARACTERS_MAX),
  };
}
