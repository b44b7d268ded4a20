import { newId } from '@granary/app/ids';
import { endpoints } from '@granary/contract/endpoints/endpoints';
import { Refusal } from '@granary/contract/errors';
import { MISSION_REQUESTS } from '@granary/contract/missions';
import { missionRecord } from '@granary/core/missions/record';
import type { MissionState } from '@granary/core/missions/state';
import { longestShiftMs } from '@granary/core/shifts';
import type { FastifyInstance } from 'fastify';
import { creating } from '../audit/attempt.ts';
import { requireConfirmed } from '../confirmations.ts';
import { findDevice } from '../devices/find-device.ts';
import { pageOf, readPage, success } from '../protocol/answers.ts';
import { register } from '../register.ts';
import type { Parts } from '../route-dependencies.ts';

export function missionRoutes(
  routes: FastifyInstance,
  parts: Parts<'settings' | 'reads' | 'link' | 'directory' | 'idempotency' | 'now'>,
): void {
  const { reads, settings, idempotency, link, now } = parts;

  register(routes, endpoints.missions.create, async (exchange) => {
    const { request, read } = exchange;
    const device = await findDevice(request, parts, 'field');
    const { deviceNo, deviceId } = device;
    const mission = read.body(request);
    const confirmed = await requireConfirmed(exchange, device, parts);
    const nowMs = now();
    const missionId = newId('ms', nowMs);
    const isReachable = link.isReachable(deviceId);
    const { result } = await idempotency.once(creating(confirmed, missionId), (slices) =>
      slices.missions.create({ deviceNo, missionId, mission, isReachable, nowMs }),
    );
    return success(missionRecord(result));
  });

  register(routes, endpoints.missions.preflight, async ({ request, read }) => {
    const { deviceNo, deviceId } = await findDevice(request, parts, 'field');
    const mission = read.body(request);
    const isReachable = link.isReachable(deviceId);
    const shiftMs = longestShiftMs(settings.shiftStartsMs);
    return success(
      await reads(request).missions.preflight({ deviceNo, mission, isReachable, shiftMs, nowMs: now() }),
    );
  });

  register(routes, endpoints.missions.list, async ({ request, read }) => {
    const { deviceNo } = await findDevice(request, parts, 'field');
    const { status = null, ...asked } = read.query(request);
    const page = pageOf(asked);
    const missionsBefore = (beforeMissionId: string | null, limit: number) =>
      reads(request).missions.list({ deviceNo, status, beforeMissionId, limit });
    return await readPage(request, page, missionsBefore, ({ missionId }) => missionId, missionRecord);
  });

  register(routes, endpoints.missions.get, async ({ request }) => {
    const { deviceNo } = await findDevice(request, parts, 'field');
    return success(
      missionRecord(found(await reads(request).missions.find(deviceNo, request.params.mission_id))),
    );
  });

  for (const control of MISSION_REQUESTS) {
    register(routes, endpoints.missions[control], async (exchange) => {
      const { request } = exchange;
      const device = await findDevice(request, parts, 'field');
      const { deviceNo, deviceId } = device;
      const confirmed = control === 'resume' ? await requireConfirmed(exchange, device, parts) : exchange;
      const isReachable = link.isReachable(deviceId);
      const { mission_id: missionId } = request.params;
      const wanted = { deviceNo, missionId, control, isReachable, nowMs: now() };
      const { result, replayed, isAllSent } = await idempotency.once(confirmed, (slices) =>
        slices.missions.control(wanted),
      );
      const mission = found(result?.mission);
      // A resume that was not sent is already withdrawn; every other request is repeated until it is confirmed.
      const isFinal = replayed || isAllSent || control !== 'resume';
      return success(
        missionRecord(isFinal ? mission : found(await reads(request).missions.find(deviceNo, missionId))),
      );
    });
  }

  register(routes, endpoints.missions.declareEnded, async (exchange) => {
    const { request, read } = exchange;
    const device = await findDevice(request, parts, 'field');
    const { deviceNo, deviceId } = device;
    const declaration = read.body(request);
    const confirmed = await requireConfirmed(exchange, device, parts);
    const { mission_id: missionId } = request.params;
    const isReachable = link.isReachable(deviceId);
    const wanted = { deviceNo, missionId, declaration, isReachable, nowMs: now() };
    const { result } = await idempotency.once(confirmed, (slices) => slices.missions.declareEnded(wanted));
    return success(missionRecord(found(result)));
  });
}

function found(mission: MissionState | undefined): MissionState {
  if (mission !== undefined) return mission;
  throw new Refusal('mission_not_found', 'the device has no mission with this id');
}
