import { endpoints } from '@granary/contract/endpoints/endpoints';
import type { DeviceGroup } from '@granary/contract/profiles/groups';
import { PROFILES } from '@granary/contract/profiles/profiles';
import { versionRecord } from '@granary/core/configuration/versions';
import type { FastifyInstance } from 'fastify';
import { accept, badCursor, expectedVersion, pageOf, readPage, success, tag } from '../protocol/answers.ts';
import { register } from '../register.ts';
import type { RouteDependencies } from '../route-dependencies.ts';
import { findDevice } from './find-device.ts';

export function configurationRoutes(
  routes: FastifyInstance,
  parts: RouteDependencies,
  group: DeviceGroup,
): void {
  const { app, changes, now } = parts;

  register(routes, endpoints.configuration[group].get, async (request, reply) => {
    const device = await findDevice(request, parts, group);
    const stored = await app.configuration.get(device.deviceNo);
    if (stored === undefined) throw new Error(`device ${device.deviceId} has no configuration`);
    tag(reply, stored.version);
    return success(stored.configuration);
  });

  register(routes, endpoints.configuration[group].update, async (request, reply) => {
    const device = await findDevice(request, parts, group);
    const { checkConfigurationPatch } = PROFILES[device.profile];
    const patch = accept(checkConfigurationPatch, request.body, 'configuration');
    const expected = expectedVersion(request);
    const changed = await changes(request).configuration.change(device.deviceNo, patch, now(), expected);
    tag(reply, changed.version);
    return success(changed.configuration);
  });

  register(routes, endpoints.configuration[group].versions, async (request, _reply, read) => {
    const device = await findDevice(request, parts, group);
    const page = pageOf(read.query(request));
    const versionsBefore = (cursor: string | null, limit: number) =>
      app.configuration.versions(device.deviceNo, cursor === null ? null : versionOf(cursor), limit);
    return await readPage(request, page, versionsBefore, ({ version }) => String(version), versionRecord);
  });
}

function versionOf(cursor: string): number {
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor);
  throw badCursor();
}
