import { newId } from '@granary/app/ids';
import { endpoints } from '@granary/contract/endpoints/endpoints';
import { Refusal } from '@granary/contract/errors';
import { MISSION_REQUESTS } from '@granary/contract/missions';
import { missionRecord } from '@granary/core/missions/record';
import type { MissionState } from '@granary/core/missions/state';
import { longestShiftMs } from '@granary/core/shifts';
import type { FastifyInstance } from 'fastify';
import { creates } from '../audit/attempt.ts';
import { requireConfirmed } from '../confirmations.ts';
import { findDevice } from '../devices/find-device.ts';
import { pageOf, readPage, success } from '../protocol/answers.ts';
import { register } from '../register.ts';
import type { RouteDependencies } from '../route-dependencies.ts';

export function missionRoutes(routes: FastifyInstance, parts: RouteDependencies): void {
  const { app, settings, idempotency, link, now } = parts;

  register(routes, endpoints.missions.create, async (request, reply, read) => {
    const device = await findDevice(request, parts, 'field');
    const { deviceNo, deviceId } = device;
    const mission = read.body(request);
    await requireConfirmed(request, device, parts);
    const nowMs = now();
    const missionId = newId('ms', nowMs);
    creates(request, missionId);
    const isReachable = link.isReachable(deviceId);
    const { result } = await idempotency.once(request, reply, (slices) =>
      slices.missions.create({ deviceNo, missionId, mission, isReachable, nowMs }),
    );
    return success(missionRecord(result));
  });

  register(routes, endpoints.missions.preflight, async (request, _reply, read) => {
    const { deviceNo, deviceId } = await findDevice(request, parts, 'field');
    const mission = read.body(request);
    const isReachable = link.isReachable(deviceId);
    const shiftMs = longestShiftMs(settings.shiftStartsMs);
    return success(await app.missions.preflight({ deviceNo, mission, isReachable, shiftMs, nowMs: now() }));
  });

  register(routes, endpoints.missions.list, async (request, _reply, read) => {
    const { deviceNo } = await findDevice(request, parts, 'field');
    const { status = null, ...asked } = read.query(request);
    const page = pageOf(asked);
    const missionsBefore = (beforeMissionId: string | null, limit: number) =>
      app.missions.list({ deviceNo, status, beforeMissionId, limit });
    return await readPage(request, page, missionsBefore, ({ missionId }) => missionId, missionRecord);
  });

  register(routes, endpoints.missions.get, async (request) => {
    const { deviceNo } = await findDevice(request, parts, 'field');
    return success(missionRecord(found(await app.missions.find(deviceNo, request.params.mission_id))));
  });

  for (const control of MISSION_REQUESTS) {
    register(routes, endpoints.missions[control], async (request, reply) => {
      const device = await findDevice(request, parts, 'field');
      const { deviceNo, deviceId } = device;
      if (control === 'resume') await requireConfirmed(request, device, parts);
      const isReachable = link.isReachable(deviceId);
      const { mission_id: missionId } = request.params;
      const wanted = { deviceNo, missionId, control, isReachable, nowMs: now() };
      const { result, replayed, isAllSent } = await idempotency.once(request, reply, (slices) =>
        slices.missions.control(wanted),
      );
      const mission = found(result?.mission);
      // A resume that was not sent is already withdrawn; every other request is repeated until it is confirmed.
      const isFinal = replayed || isAllSent || control !== 'resume';
      return success(missionRecord(isFinal ? mission : found(await app.missions.find(deviceNo, missionId))));
    });
  }

  register(routes, endpoints.missions.declareEnded, async (request, reply, read) => {
    const device = await findDevice(request, parts, 'field');
    const { deviceNo, deviceId } = device;
    const declaration = read.body(request);
    await requireConfirmed(request, device, parts);
    const { mission_id: missionId } = request.params;
    const isReachable = link.isReachable(deviceId);
    const wanted = { deviceNo, missionId, declaration, isReachable, nowMs: now() };
    const { result } = await idempotency.once(request, reply, (slices) =>
      slices.missions.declareEnded(wanted),
    );
    return success(missionRecord(found(result)));
  });
}

function found(mission: MissionState | undefined): MissionState {
  if (mission !== undefined) return mission;
  throw new Refusal('mission_not_found', 'the device has no mission with this id');
}
