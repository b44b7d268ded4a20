import type { DeviceGroup } from '@granary/contract/devices/groups';
import { endpoints } from '@granary/contract/endpoints/endpoints';
import { Refusal } from '@granary/contract/errors';
import { PROFILES } from '@granary/contract/profiles/profiles';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { accept, success } from '../protocol/answers.ts';
import { register } from '../register.ts';
import type { RouteDependencies } from '../route-dependencies.ts';
import { findDevice } from './find-device.ts';

export function configurationRoutes(
  routes: FastifyInstance,
  parts: RouteDependencies,
  group: DeviceGroup,
): void {
  const { app, now } = parts;

  register(routes, endpoints.configuration[group].get, async (request, reply) => {
    const device = await findDevice(request, app, group);
    const stored = await app.configuration.get(device.deviceNo);
    if (stored === undefined) throw new Error(`device ${device.deviceId} has no configuration`);
    tag(reply, stored.version);
    return success(stored.configuration);
  });

  register(routes, endpoints.configuration[group].update, async (request, reply) => {
    const device = await findDevice(request, app, group);
    const { checkConfigurationPatch } = PROFILES[device.profile];
    const patch = accept(checkConfigurationPatch, request.body, 'configuration');
    const expected = expectedVersion(request.headers['if-match']);
    const changed = await app.configuration.change(device.deviceNo, patch, now(), expected);
    tag(reply, changed.version);
    return success(changed.configuration);
  });
}

const tag = (reply: FastifyReply, version: number): void => void reply.header('etag', `"${version}"`);

/** An ETag of another form cannot be current; 0 is never a version. */
const NEVER_CURRENT = 0;

/** The version that the caller expects; `undefined` when it accepts any. */
function expectedVersion(header: string | undefined): number | undefined {
  if (header === undefined || header.trim() === '*') return undefined;
  if (!/^(W\/)?"[^"]*"$/.test(header.trim())) {
    throw new Refusal('invalid_input', 'If-Match must hold an entity tag', [
      { path: '/if-match', message: 'must be * or one quoted entity tag' },
    ]);
  }
  const version = /^"(\d{1,15})"$/.exec(header.trim())?.[1];
  return version === undefined ? NEVER_CURRENT : Number(version);
}
