import { endpoints } from '@granary/contract/endpoints/endpoints';
import type { LinkStatus } from '@granary/contract/link/link-status';
import type { DeviceGroup } from '@granary/contract/profiles/groups';
import { toIso } from '@granary/contract/time';
import type { LinkStatistics } from '@granary/link/port';
import type { FastifyInstance } from 'fastify';
import { success } from '../protocol/answers.ts';
import { register } from '../register.ts';
import type { RouteDependencies } from '../route-dependencies.ts';
import { findDevice } from './find-device.ts';

export function linkRoutes(routes: FastifyInstance, parts: RouteDependencies, group: DeviceGroup): void {
  const { app, link } = parts;
  register(routes, endpoints.devices[group].link, async (request) => {
    const { deviceId, deviceNo } = await findDevice(request, parts, group);
    const { total } = await app.devices.rejections(deviceNo);
    return success(linkStatus(await link.linkStatistics(deviceId), total));
  });
}

function linkStatus(statistics: LinkStatistics, rejections: number): LinkStatus {
  const { connectedSinceMs, lastRefusal, lastFault, lastDisconnect } = statistics;
  return {
    connected: connectedSinceMs !== null,
    connected_since: connectedSinceMs === null ? null : toIso(connectedSinceMs),
    session: statistics.session,
    remote_address: statistics.remoteAddress,
    subscribed: statistics.isSubscribed,
    connects: statistics.connects,
    takeovers: statistics.takeovers,
    messages: {
      in: statistics.messagesIn,
      out: statistics.messagesOut,
      unacknowledged: statistics.unacknowledged,
    },
    dropped: { expired: statistics.droppedExpired, not_connected: statistics.droppedNotConnected },
    refused_logins: {
      total: statistics.refusedLogins,
      last: lastRefusal && { at: toIso(lastRefusal.atMs), reason: lastRefusal.reason },
    },
    rejections: { total: rejections },
    faults: { total: statistics.faults },
    last_fault: lastFault && { at: toIso(lastFault.atMs), message: lastFault.reason },
    last_disconnect: lastDisconnect && {
      at: toIso(lastDisconnect.atMs),
      reason: lastDisconnect.ending,
      message: lastDisconnect.detail,
    },
  };
}
