import { type Static, Type } from 'typebox';
import { closed } from '../input/schema.ts';
import { Timestamp } from '../input/timestamp.ts';
import { codeField, messageFields, VALUES } from '../sentence-fields.ts';
import { LINK_FAULTS } from '../sentences/faults.ts';

const SESSION_TYPES = ['clean', 'persistent'] as const;

/**
 * How a connection ended: the device sent DISCONNECT, its connection was lost, it was silent for longer than its
 * keep-alive allows, it connected again, or the service closed it.
 */
const LINK_ENDINGS = ['clean', 'lost', 'timed_out', 'replaced', 'closed'] as const;

const Count = Type.Integer({ minimum: 0 });
const orNull = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()]);

/** The MQTT link of one device; counters start with the service, except the rejections. */
export const LinkStatus = closed({
  connected: Type.Boolean(),
  connected_since: orNull(Timestamp),
  session: orNull(Type.Enum(SESSION_TYPES)),
  remote_address: orNull(Type.String()),
  /** Whether the device is subscribed to its commands; only then can it receive them. */
  subscribed: Type.Boolean(),
  connects: Count,
  takeovers: Count,
  messages: closed({ in: Count, out: Count, unacknowledged: Count }),
  /** The numbers of commands that were not sent, by reason. */
  dropped: closed({ expired: Count, not_connected: Count }),
  refused_logins: closed({
    total: Count,
    last: orNull(
      closed({
        at: Timestamp,
        reason: Type.String(),
        reason_code: codeField(LINK_FAULTS),
        reason_values: VALUES,
      }),
    ),
  }),
  rejections: closed({ total: Count }),
  faults: closed({ total: Count }),
  last_fault: orNull(closed({ at: Timestamp, ...messageFields(LINK_FAULTS) })),
  last_disconnect: orNull(closed({ at: Timestamp, reason: Type.Enum(LINK_ENDINGS), message: Type.String() })),
});
export type LinkStatus = Static<typeof LinkStatus>;
