import type { NewDevice } from '@granary/app/devices/devices';
import type { FieldRegistration, SiloRegistration } from '@granary/contract/devices';
import { endpoints } from '@granary/contract/endpoints/endpoints';
import { Refusal } from '@granary/contract/errors';
import { DEFAULT_PROFILES } from '@granary/contract/profiles/profiles';
import type { DeviceKind } from '@granary/contract/telemetry/channels';
import { deviceSummary, rejectionsRecord } from '@granary/core/devices/record';
import { canAccess } from '@granary/core/keys';
import { profileOf } from '@granary/core/profiles/profiles';
import type { FastifyInstance } from 'fastify';
import { hashSecret, newDeviceSecret } from '../../keys/secrets.ts';
import { paged, pageOf, success } from '../protocol/answers.ts';
import { register } from '../register.ts';
import type { RouteDependencies } from '../route-dependencies.ts';
import type { DeviceGroupRoutes } from './device-group.ts';
import { findDevice } from './find-device.ts';

export function deviceRoutes(
  routes: FastifyInstance,
  parts: RouteDependencies,
  group: DeviceGroupRoutes,
): void {
  const { kind } = group;
  const { app, idempotency, now } = parts;

  register(routes, endpoints.devices[kind].list, async (request, _reply, read) => {
    const page = pageOf(read.query(request));
    const { facilities, deviceIds } = request.caller;
    const rows = await app.devices.list({
      kind,
      facilities,
      deviceIds,
      afterDeviceId: page.after,
      limit: page.limit + 1,
    });
    const nowMs = now();
    return paged(
      rows,
      page,
      (device) => device.deviceId,
      (device) => deviceSummary(device, nowMs),
    );
  });

  register(routes, endpoints.devices[kind].register, async (request, reply, read) => {
    const wanted = read.body(request);
    const { device_id: deviceId, location } = wanted;
    if (!canAccess(request.caller, { deviceId, facility: location.facility })) {
      throw new Refusal('forbidden', 'this API key may not register a device there');
    }
    const fresh = newDeviceSecret();
    const drafted = draft(wanted, kind, hashSecret(fresh), now());
    const { result, secret } = await idempotency.onceWithSecret(request, reply, fresh, (slices) =>
      slices.devices.register(drafted),
    );
    const registered = group.detailOfNew(result, now());
    return success({ ...registered, credentials: { username: deviceId, secret } });
  });

  register(routes, endpoints.devices[kind].get, async (request) => {
    const device = await findDevice(request, app, kind);
    return success(await group.readDetail(app, device, now));
  });

  register(routes, endpoints.devices[kind].renewCredentials, async (request, reply) => {
    const device = await findDevice(request, app, kind);
    const fresh = newDeviceSecret();
    const { secret } = await idempotency.onceWithSecret(request, reply, fresh, (slices) =>
      slices.devices.replaceSecret(device.deviceNo, hashSecret(fresh), now()),
    );
    return success({ username: device.deviceId, secret });
  });

  register(routes, endpoints.devices[kind].rejections, async (request) => {
    const device = await findDevice(request, app, kind);
    const { total, recent } = await app.devices.rejections(device.deviceNo);
    return success(rejectionsRecord(total, recent));
  });
}

function draft(
  wanted: SiloRegistration | FieldRegistration,
  kind: DeviceKind,
  secretHash: string,
  nowMs: number,
): NewDevice {
  const profile = ('profile' in wanted ? wanted.profile : undefined) ?? DEFAULT_PROFILES[kind];
  return {
    deviceId: wanted.device_id,
    profile,
    name: wanted.name,
    model: wanted.model,
    firmwareVersion: wanted.firmware_version ?? '',
    facility: wanted.location.facility,
    zone: wanted.location.zone,
    capacityKg: 'capacity' in wanted ? wanted.capacity.max : null,
    secretHash,
    registeredAtMs: nowMs,
    configuration: profileOf(profile).initialConfiguration(nowMs),
  };
}
