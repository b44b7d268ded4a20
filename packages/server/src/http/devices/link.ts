import type { LinkStatus } from '@granary/contract/link/link-status';
import type { DeviceKind } from '@granary/contract/telemetry/channels';
import { toIso } from '@granary/contract/time';
import type { LinkVitals } from '@granary/link/port';
import type { FastifyInstance } from 'fastify';
import { success } from '../protocol/answers.ts';
import type { RouteDependencies } from '../route-dependencies.ts';
import { type DevicePath, findDevice } from './find-device.ts';

export function linkRoutes(
  routes: FastifyInstance,
  { app, link }: RouteDependencies,
  kind: DeviceKind,
): void {
  routes.get<DevicePath>('/devices/:device_id/link', { config: { scope: 'read' } }, async (request) => {
    const { deviceId, deviceNo } = await findDevice(request, app, kind);
    const { total } = await app.devices.rejections(deviceNo);
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
