import type { ReadSlices } from '@granary/app/app';
import type { StoredDevice } from '@granary/app/device-rows';
import type { NewDevice } from '@granary/app/devices/register-device';
import { whileRequestLasts } from '@granary/common/request-time';
import { LATE } from '@granary/common/within';
import type {
  FieldDetail,
  FieldRegistration,
  SiloDetail,
  SiloRegistration,
} from '@granary/contract/devices/devices';
import type { SensorDeclaration } from '@granary/contract/devices/sensors';
import { endpoints } from '@granary/contract/endpoints/endpoints';
import { Refusal } from '@granary/contract/errors';
import type { LinkStatus } from '@granary/contract/link/link-status';
import { DEFAULT_PROFILES, type DeviceGroup } from '@granary/contract/profiles/groups';
import { PROFILES } from '@granary/contract/profiles/profiles';
import { inEnglish, messageOf } from '@granary/contract/sentences/english';
import { toIso } from '@granary/contract/time';
import { versionRecord } from '@granary/core/configuration/versions';
import { changeLabels } from '@granary/core/devices/change-device';
import { deviceSummary, fieldDetail, rejectionsRecord, siloDetail } from '@granary/core/fleet/record';
import { profileOf } from '@granary/core/profiles/profiles';
import { declareSensors } from '@granary/core/sensors/declare-sensors';
import { NO_SENSORS, SENSORS_DOCUMENT, sensorsOf } from '@granary/core/sensors/declared-sensors';
import type { LinkStatistics } from '@granary/link/port';
import type { FastifyInstance } from 'fastify';
import { hashSecret, newDeviceSecret } from '../../process/keys/secrets.ts';
import { limitsOf } from '../access/credentials.ts';
import { accept, badCursor, expectedVersion, pageOf, readPage, success, tag } from '../protocol/answers.ts';
import { register } from '../register.ts';
import type { Parts } from '../route-dependencies.ts';
import { capacityOf, findDevice, requireAccess } from './find-device.ts';

export const SILO_GROUP: DeviceGroupRoutes = {
  group: 'silo',
  detailOfNew: (device, nowMs) =>
    siloDetail({ device, reception: null, capacityKg: capacityOf(device), latest: {} }, nowMs),
  readDetail: async (reads, device, now) => {
    const sensors = sensorsOf(device.profile, device.sensorDocument);
    const [latest, reception] = await Promise.all([
      reads.telemetry.latest(device.deviceNo, sensors),
      reads.devices.reception(device.deviceNo),
    ]);
    return siloDetail({ device, reception, capacityKg: capacityOf(device), latest }, now());
  },
};
export const FIELD_GROUP: DeviceGroupRoutes = {
  group: 'field',
  detailOfNew: (device, nowMs) =>
    fieldDetail({ device, reception: null, latest: {}, stop: undefined }, nowMs),
  readDetail: async (reads, device, now) => {
    const { deviceNo, profile, sensorDocument } = device;
    const [latest, reception, stop] = await Promise.all([
      reads.telemetry.latest(deviceNo, sensorsOf(profile, sensorDocument)),
      reads.devices.reception(deviceNo),
      reads.commands.stopInForce(deviceNo),
    ]);
    return fieldDetail({ device, reception, latest, stop }, now());
  },
};

export function linkRoutes(
  routes: FastifyInstance,
  parts: Parts<'reads' | 'link' | 'directory'>,
  group: DeviceGroup,
): void {
  const { reads, link } = parts;
  register(routes, endpoints.devices[group].link, async ({ request }) => {
    const { deviceId, deviceNo } = await findDevice(request, parts, group);
    const { total } = await reads(request).devices.rejections(deviceNo);
    const statistics = await whileRequestLasts(request.time, link.linkStatistics(deviceId));
    if (statistics === LATE) throw new Error('the device link does not answer');
    return success(linkStatus(statistics, total));
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
      last: lastRefusal && {
        at: toIso(lastRefusal.atMs),
        reason: inEnglish(lastRefusal.told),
        reason_code: lastRefusal.told.code,
        reason_values: { ...lastRefusal.told.values },
      },
    },
    rejections: { total: rejections },
    faults: { total: statistics.faults },
    last_fault: lastFault && { at: toIso(lastFault.atMs), ...messageOf(lastFault.told) },
    last_disconnect: lastDisconnect && {
      at: toIso(lastDisconnect.atMs),
      reason: lastDisconnect.ending,
      message: lastDisconnect.detail,
    },
  };
}

export function configurationRoutes(
  routes: FastifyInstance,
  parts: Parts<'reads' | 'changes' | 'directory' | 'now'>,
  group: DeviceGroup,
): void {
  const { reads, changes, now } = parts;

  register(routes, endpoints.configuration[group].get, async ({ request, reply }) => {
    const device = await findDevice(request, parts, group);
    const stored = await reads(request).configuration.get(device.deviceNo);
    if (stored === undefined) throw new Error(`device ${device.deviceId} has no configuration`);
    tag(reply, stored.version);
    return success(stored.configuration);
  });

  register(routes, endpoints.configuration[group].update, async (exchange) => {
    const { request, reply } = exchange;
    const device = await findDevice(request, parts, group);
    const { checkConfigurationPatch } = PROFILES[device.profile];
    const patch = accept(checkConfigurationPatch, request.body, 'configuration');
    const expected = expectedVersion(request);
    const changed = await changes(exchange).configuration.change(device.deviceNo, patch, now(), expected);
    tag(reply, changed.version);
    return success(changed.configuration);
  });

  register(routes, endpoints.configuration[group].versions, async ({ request, read }) => {
    const device = await findDevice(request, parts, group);
    const page = pageOf(read.query(request));
    const versionsBefore = (cursor: string | null, limit: number) =>
      reads(request).configuration.versions(
        device.deviceNo,
        cursor === null ? null : versionOf(cursor),
        limit,
      );
    return await readPage(request, page, versionsBefore, ({ version }) => String(version), versionRecord);
  });
}

function versionOf(cursor: string): number {
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor);
  throw badCursor();
}

export function deviceRoutes(
  routes: FastifyInstance,
  parts: Parts<'reads' | 'changes' | 'link' | 'directory' | 'idempotency' | 'now'>,
  { group, detailOfNew, readDetail }: DeviceGroupRoutes,
): void {
  const { reads, directory, changes, idempotency, link, now } = parts;

  register(routes, endpoints.devices[group].list, async ({ request, read }) => {
    const page = pageOf(read.query(request));
    const limits = limitsOf(request);
    const nowMs = now();
    return await readPage(
      request,
      page,
      (afterDeviceId, limit) => reads(request).devices.list({ group, limits, afterDeviceId, limit }),
      (device) => device.deviceId,
      (device) => deviceSummary(device, nowMs),
    );
  });

  register(routes, endpoints.devices[group].register, async (exchange) => {
    const { request, reply, read } = exchange;
    const wanted = read.body(request);
    const { device_id: deviceId } = wanted;
    await link.access.readyToRegister([deviceId], request.time);
    const fresh = newDeviceSecret();
    const drafted = draft(wanted, group, hashSecret(fresh), now());
    const { result, secret } = await idempotency.onceWithSecret(exchange, fresh, (slices) =>
      slices.devices.register(drafted),
    );
    await link.access.give([{ deviceId, secret }], request.time);
    const registered = detailOfNew(result, now());
    tag(reply, result.version);
    return success({ ...registered, credentials: { username: deviceId, secret } });
  });

  register(routes, endpoints.devices[group].get, async ({ request, reply }) => {
    const device = await findDevice(request, parts, group);
    tag(reply, device.version);
    return success(await readDetail(reads(request), device, now));
  });

  register(routes, endpoints.devices[group].update, async (exchange) => {
    const { request, reply, read } = exchange;
    refuseNewId(request.body);
    const patch = read.body(request);
    const { deviceNo } = await findDevice(request, parts, group);
    const ifVersion = expectedVersion(request);
    const updated = await changes(exchange).devices.update(deviceNo, patch, now(), ifVersion);
    tag(reply, updated.version);
    return success(await readDetail(reads(request), updated, now));
  });

  register(routes, endpoints.devices[group].maintenance, async (exchange) => {
    const { request, read } = exchange;
    const { deviceNo } = await findDevice(request, parts, group);
    const wanted = read.body(request);
    const { result } = await idempotency.once(exchange, (slices) =>
      slices.devices.maintain(deviceNo, wanted, now()),
    );
    return success(await readDetail(reads(request), result, now));
  });

  // A repeated request finds the removed device and changes nothing.
  register(routes, endpoints.devices[group].remove, async (exchange) => {
    const { request, read } = exchange;
    const purges = read.query(request).purge === 'true';
    const found = await directory.findBy(reads(request), request.params.device_id);
    const { deviceNo } = requireAccess(request, group, found);
    const removed = await changes(exchange).devices.remove(deviceNo, now(), purges);
    return success(await readDetail(reads(request), removed, now));
  });

  register(routes, endpoints.devices[group].restore, async (exchange) => {
    const { request, reply } = exchange;
    const found = await directory.findBy(reads(request), request.params.device_id);
    const { deviceId, deviceNo } = requireAccess(request, group, found);
    await link.access.readyToReplace(deviceId, request.time);
    const fresh = newDeviceSecret();
    const { result, secret } = await idempotency.onceWithSecret(exchange, fresh, (slices) =>
      slices.devices.restore(deviceNo, hashSecret(fresh), now()),
    );
    await link.access.give([{ deviceId, secret }], request.time);
    tag(reply, result.version);
    const restored = await readDetail(reads(request), result, now);
    return success({ ...restored, credentials: { username: deviceId, secret } });
  });

  register(routes, endpoints.devices[group].renewCredentials, async (exchange) => {
    const { request } = exchange;
    const { deviceId, deviceNo } = await findDevice(request, parts, group);
    await link.access.readyToReplace(deviceId, request.time);
    const fresh = newDeviceSecret();
    const { secret } = await idempotency.onceWithSecret(exchange, fresh, (slices) =>
      slices.devices.replaceSecret(deviceNo, hashSecret(fresh), now()),
    );
    await link.access.give([{ deviceId, secret }], request.time);
    return success({ username: deviceId, secret });
  });

  register(routes, endpoints.devices[group].rejections, async ({ request }) => {
    const device = await findDevice(request, parts, group);
    const { total, recent } = await reads(request).devices.rejections(device.deviceNo);
    return success(rejectionsRecord(total, recent));
  });
}

/** Refuses a new id for a device, because all records of the device have its id for ever. */
function refuseNewId(body: unknown): void {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, 'device_id')) return;
  const message = 'cannot be changed; register another device for another id';
  throw new Refusal('invalid_input', `the id of a device ${message}`, [{ path: '/device_id', message }]);
}

const sensorDocumentOf = (sensors: readonly SensorDeclaration[] = []): string | null =>
  sensors.length === 0 ? null : SENSORS_DOCUMENT.write(declareSensors(NO_SENSORS, sensors));

function draft(
  wanted: SiloRegistration | FieldRegistration,
  group: DeviceGroup,
  secretHash: string,
  nowMs: number,
): NewDevice {
  const profile = ('profile' in wanted ? wanted.profile : undefined) ?? DEFAULT_PROFILES[group];
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
    sensorDocument: sensorDocumentOf(wanted.sensors),
    labels: changeLabels({}, wanted.labels ?? {}),
    configuration: profileOf(profile).initialConfiguration(nowMs),
  };
}

/** What differs between the routes of the two device groups. */
export interface DeviceGroupRoutes {
  readonly group: DeviceGroup;
  /** The detail of a device that has not reported anything and was not asked for anything. */
  detailOfNew(device: StoredDevice, nowMs: number): SiloDetail | FieldDetail;
  readDetail(reads: ReadSlices, device: StoredDevice, now: () => number): Promise<SiloDetail | FieldDetail>;
}
