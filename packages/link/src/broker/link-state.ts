import type { LinkStatistics, SessionType } from '../port.ts';
import type { DeviceChannel } from '../session/device-channel.ts';
import type { Session } from '../session/session.ts';

type LinkState = Pick<LinkStatistics, 'connectedSinceMs' | 'session' | 'remoteAddress' | 'unacknowledged'>;

/** The part of the statistics that describes the current connection, if there is one. */
export const stateOf = (channel: DeviceChannel | undefined): LinkState => ({
  connectedSinceMs: channel?.parts.connectedAtMs ?? null,
  session: channel === undefined ? null : sessionType(channel.parts.session),
  remoteAddress: channel?.parts.connection.remoteAddress ?? null,
  unacknowledged: channel?.unacknowledged ?? 0,
});

export const sessionType = ({ isPersistent }: Session): SessionType =>
  isPersistent ? 'persistent' : 'clean';
