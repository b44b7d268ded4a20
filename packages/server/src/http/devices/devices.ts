import type { NewDevice } from '@granary/app/devices/devices';
import { deviceSummary } from '@granary/app/devices/records';
import {
  type FieldDetail,
  type FieldRegistration,
  type Rejections,
  SENSOR_TYPES,
  type SiloDetail,
  type SiloRegistration,
} from '@granary/contract/devices';
import { endpoints } from '@granary/contract/endpoints/endpoints';
import { Refusal } from '@granary/contract/errors';
import type { DeviceKind } from '@granary/contract/telemetry/channels';
import { toIso } from '@granary/contract/time';
import { emergencyStopSummary } from '@granary/core/commands/emergency-stop';
import type { CommandState } from '@granary/core/commands/state';
import { initialFieldConfiguration } from '@granary/core/configuration/field-configuration';
import { initialConfiguration } from '@granary/core/configuration/silo-configuration';
import { canAccess } from '@granary/core/keys';
import { currentReadings, type LatestValues, sensorStatus } from '@granary/core/telemetry/readings';
import type { StoredDevice } from '@granary/store/tables/devices';
import type { FastifyInstance } from 'fastify';
import { hashSecret, newDeviceSecret } from '../../keys/secrets.ts';
import { paged, pageOf, success } from '../protocol/answers.ts';
import { register } from '../register.ts';
import type { RouteDependencies } from '../route-dependencies.ts';
import { capacityOf, findDevice } from './find-device.ts';

export function deviceRoutes(routes: FastifyInstance, parts: RouteDependencies, kind: DeviceKind): void {
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
    const registered =
      kind === 'silo' ? siloDetail(result, {}, now()) : fieldDetail(result, undefined, now());
    return success({ ...registered, credentials: { username: deviceId, secret } });
  });

  register(routes, endpoints.devices[kind].get, async (request) => {
    const device = await findDevice(request, app, kind);
    if (kind === 'field') {
      return success(fieldDetail(device, await app.commands.stopInForce(device.deviceNo), now()));
    }
    return success(siloDetail(device, await app.telemetry.latest(device.deviceNo), now()));
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
    const shown = recent.map(({ receivedAtMs, topic, reason, payload }) => ({
      received_at: toIso(receivedAtMs),
      topic,
      reason,
      payload,
    }));
    return success<Rejections>({ total, recent: shown });
  });
}

function draft(
  wanted: SiloRegistration | FieldRegistration,
  kind: DeviceKind,
  secretHash: string,
  nowMs: number,
): NewDevice {
  return {
    deviceId: wanted.device_id,
    kind,
    name: wanted.name,
    model: wanted.model,
    firmwareVersion: wanted.firmware_version ?? '',
    facility: wanted.location.facility,
    zone: wanted.location.zone,
    capacityKg: 'capacity' in wanted ? wanted.capacity.max : null,
    secretHash,
    registeredAtMs: nowMs,
    configuration: kind === 'silo' ? initialConfiguration(nowMs) : initialFieldConfiguration(nowMs),
  };
}

const commonDetail = (device: StoredDevice, nowMs: number) => ({
  ...deviceSummary(device, nowMs),
  firmware_version: device.firmwareVersion,
});

const fieldDetail = (device: StoredDevice, stop: CommandState | undefined, nowMs: number): FieldDetail => ({
  ...commonDetail(device, nowMs),
  emergency_stop: emergencyStopSummary(stop),
});

function siloDetail(device: StoredDevice, latest: LatestValues, nowMs: number): SiloDetail {
  const capacityKg = capacityOf(device);
  const { reportingIntervalMs } = device.presence;
  const readings = currentReadings(latest, { reportingIntervalMs, capacityKg }, nowMs);
  const sensors = SENSOR_TYPES.map((type) => ({
    type,
    sensor_id: `${device.deviceId}-${type}`,
    status: sensorStatus(readings[type]),
  }));
  return { ...commonDetail(device, nowMs), capacity: { max: capacityKg, unit: 'kg' }, sensors };
}
