import { newId } from '@granary/app/ids';
import { endpoints } from '@granary/contract/endpoints/endpoints';
import { Refusal } from '@granary/contract/errors';
import { OPERATION_TYPES } from '@granary/contract/operations';
import { notSentRefusal } from '@granary/core/operations/status-detail';
import { proposalRecord, refuseProposer, type StoredProposal } from '@granary/core/proposals';
import { longestShiftMs } from '@granary/core/shifts';
import { quoted } from '@granary/core/words';
import type { FastifyInstance } from 'fastify';
import { limitsOf } from '../access/credentials.ts';
import { creating } from '../audit/attempt.ts';
import { requireConfirmed } from '../confirmations.ts';
import { findDevice } from '../devices/find-device.ts';
import { pageOf, readPage, success } from '../protocol/answers.ts';
import { register } from '../register.ts';
import type { Parts } from '../route-dependencies.ts';

/** The route that lists the proposals of all devices. */
export function proposalListRoutes(routes: FastifyInstance, { reads, now }: Parts<'reads' | 'now'>): void {
  register(routes, endpoints.proposals.list, async ({ request, read }) => {
    const { status = null, device_id: deviceId = null, ...asked } = read.query(request);
    const nowMs = now();
    const filter = { limits: limitsOf(request), status, deviceId, nowMs };
    return await readPage(
      request,
      pageOf(asked),
      (beforeId, limit) => reads(request).proposals.list({ ...filter, beforeId, limit }),
      ({ proposalId }) => proposalId,
      (proposal) => proposalRecord(proposal, nowMs),
    );
  });
}

export function proposalRoutes(
  routes: FastifyInstance,
  parts: Parts<'settings' | 'reads' | 'link' | 'directory' | 'idempotency' | 'now'>,
): void {
  const { reads, link, settings, idempotency, now } = parts;

  for (const type of OPERATION_TYPES) {
    register(routes, endpoints.proposals[type], async (exchange) => {
      const { request, read } = exchange;
      const { deviceNo, deviceId } = await findDevice(request, parts, 'silo');
      const { reason = null, ...wanted } = read.body(request);
      const nowMs = now();
      const proposalId = newId('pr', nowMs);
      const isReachable = link.isReachable(deviceId);
      const shiftMs = longestShiftMs(settings.shiftStartsMs);
      const proposed = { proposalId, deviceNo, type, request: wanted, reason, isReachable, shiftMs, nowMs };
      const { result } = await idempotency.once(creating(exchange, proposalId), (slices) =>
        slices.proposals.create(proposed),
      );
      return success(proposalRecord(result, nowMs));
    });
  }

  register(routes, endpoints.proposals.get, async ({ request }) => {
    const { deviceNo } = await findDevice(request, parts, 'silo');
    const { proposal_id: proposalId } = request.params;
    return success(
      proposalRecord(found(await reads(request).proposals.find(deviceNo, proposalId), proposalId), now()),
    );
  });

  register(routes, endpoints.proposals.confirm, async (exchange) => {
    const { request } = exchange;
    const device = await findDevice(request, parts, 'silo');
    const { deviceNo, deviceId } = device;
    const { proposal_id: proposalId } = request.params;
    refuseProposer(
      found(await reads(request).proposals.find(deviceNo, proposalId), proposalId),
      request.caller,
    );
    const confirmed = await requireConfirmed(exchange, device, parts);
    const nowMs = now();
    const isReachable = link.isReachable(deviceId);
    const wanted = { deviceNo, proposalId, operationId: newId('op', nowMs), isReachable, nowMs };
    const { result, isAllSent } = await idempotency.once(confirmed, (slices) =>
      slices.proposals.confirm(wanted),
    );
    const proposal = found(result, proposalId);
    // As after a start, an operation whose start was not sent has already failed.
    const failed =
      isAllSent || proposal.operationId === null
        ? undefined
        : await reads(request).operations.find(deviceNo, proposal.operationId);
    const refusal = failed && notSentRefusal(failed);
    if (refusal) throw refusal;
    return success(proposalRecord(proposal, nowMs));
  });

  register(routes, endpoints.proposals.refuse, async (exchange) => {
    const { request, read } = exchange;
    const { deviceNo } = await findDevice(request, parts, 'silo');
    const { proposal_id: proposalId } = request.params;
    const { reason = null } = read.body(request);
    const nowMs = now();
    const { result } = await idempotency.once(exchange, (slices) =>
      slices.proposals.refuse({ deviceNo, proposalId, reason, nowMs }),
    );
    return success(proposalRecord(found(result, proposalId), nowMs));
  });
}

function found(proposal: StoredProposal | undefined, proposalId: string): StoredProposal {
  if (proposal !== undefined) return proposal;
  throw new Refusal('proposal_not_found', `the device has no proposal ${quoted(proposalId)}`);
}
