import type { DeviceKind } from '@granary/contract/channels';
import type { LinkStatus } from '@granary/contract/link-status';
import { toIso } from '@granary/contract/time';
import type { LinkVitals } from '@granary/link/port';
import type { FastifyInstance } from 'fastify';
import { success } from './answers.ts';
import { type DevicePath, knownDevice } from './known-device.ts';
import type { RouteParts } from './parts.ts';

export function linkRoutes(app: FastifyInstance, { store, link }: RouteParts, kind: DeviceKind): void {
  app.get<DevicePath>('/devices/:device_id/link', { config: { scope: 'read' } }, async (request) => {
    const { deviceId, deviceNo } = await knownDevice(request, store, kind);
    const { total } = await store.devices.rejections(deviceNo);
    return success(linkStatus(link.linkVitals(deviceId), total));
  });
}

function linkStatus(vitals: LinkVitals, rejections: number): LinkStatus {
  const { connectedSinceMs, lastRefusal, lastFault, lastDisconnect } = vitals;
  return {
    connected: connectedSinceMs !== null,
    connected_since: connectedSinceMs === null ? null : toIso(connectedSinceMs),
    session: vitals.session,
    remote_address: vitals.remoteAddress,
    subscribed: vitals.isSubscribed,
    connects: vitals.connects,
    takeovers: vitals.takeovers,
    messages: { in: vitals.messagesIn, out: vitals.messagesOut, unacknowledged: vitals.unacknowledged },
    dropped: { expired: vitals.droppedExpired, not_connected: vitals.droppedNotConnected },
    refused_logins: {
      total: vitals.refusedLogins,
      last: lastRefusal && { at: toIso(lastRefusal.atMs), reason: lastRefusal.reason },
    },
    rejections: { total: rejections },
    faults: { total: vitals.faults },
    last_fault: lastFault && { at: toIso(lastFault.atMs), message: lastFault.reason },
    last_disconnect: lastDisconnect && {
      at: toIso(lastDisconnect.atMs),
      reason: lastDisconnect.ending,
      message: lastDisconnect.detail,
    },
  };
}
