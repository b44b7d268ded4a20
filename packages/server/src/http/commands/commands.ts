import { newId } from '@granary/app/ids';
import type { CommandRecord } from '@granary/contract/commands';
import { endpoints } from '@granary/contract/endpoints/endpoints';
import { Refusal } from '@granary/contract/errors';
import { statusOf } from '@granary/contract/sentences/english';
import { commandRecord } from '@granary/core/commands/record';
import type { CommandState } from '@granary/core/commands/state';
import { refuseUnsupported } from '@granary/core/profiles/profile';
import type { FastifyInstance } from 'fastify';
import { EMERGENCY_STOP } from '../../devices/sending/stops.ts';
import { deadlineOf } from '../../devices/sending/urgent-deadline.ts';
import { isUrgentNow } from '../access/urgency.ts';
import { attemptToWrite, creating } from '../audit/attempt.ts';
import { requireConfirmed } from '../confirmations.ts';
import { findDevice, urgentTarget } from '../devices/find-device.ts';
import { pageOf, readPage, success } from '../protocol/answers.ts';
import { type EndpointExchange, register } from '../register.ts';
import type { Parts } from '../route-dependencies.ts';

type Give = EndpointExchange<typeof endpoints.commands.give>;

export function commandRoutes(
  routes: FastifyInstance,
  parts: Parts<'reads' | 'link' | 'directory' | 'idempotency' | 'stops' | 'now'>,
): void {
  const { reads, idempotency, link, now } = parts;

  register(routes, endpoints.commands.give, async (exchange) =>
    success(
      isUrgentNow(endpoints.commands.give, exchange.request.body)
        ? await stopAtOnce(exchange, parts)
        : await issue(exchange, parts),
    ),
  );

  register(routes, endpoints.commands.list, async ({ request, read }) => {
    const { deviceNo } = await findDevice(request, parts, 'field');
    const { status = null, command = null, ...asked } = read.query(request);
    const page = pageOf(asked);
    const commandsBefore = (beforeCommandId: string | null, limit: number) =>
      reads(request).commands.list({ deviceNo, status, command, beforeCommandId, limit });
    return await readPage(request, page, commandsBefore, ({ commandId }) => commandId, commandRecord);
  });

  register(routes, endpoints.commands.get, async ({ request }) => {
    const { deviceNo } = await findDevice(request, parts, 'field');
    const command = await reads(request).commands.find(deviceNo, request.params.command_id);
    return success(commandRecord(found(command)));
  });

  register(routes, endpoints.commands.declareEnded, async (exchange) => {
    const { request, read } = exchange;
    const device = await findDevice(request, parts, 'field');
    const { deviceNo, deviceId } = device;
    const declaration = read.body(request);
    const confirmed = await requireConfirmed(exchange, device, parts);
    const { command_id: commandId } = request.params;
    const isReachable = link.isReachable(deviceId);
    const wanted = { deviceNo, commandId, declaration, isReachable, nowMs: now() };
    const { result } = await idempotency.once(confirmed, (slices) => slices.commands.declareEnded(wanted));
    return success(commandRecord(found(result)));
  });
}

function found(command: CommandState | undefined): CommandState {
  if (command !== undefined) return command;
  throw new Refusal('command_not_found', 'the device has no command with this id');
}

async function stopAtOnce(
  exchange: Give,
  parts: Parts<'link' | 'directory' | 'idempotency' | 'stops' | 'now'>,
): Promise<CommandRecord> {
  const { request } = exchange;
  const { stops, idempotency, link, now } = parts;
  const nowMs = now();
  const { deviceId, deviceNo, profile } = await urgentTarget(request, parts, 'field');
  refuseUnsupported(profile, 'commands');
  const commandId = stops.emergencyIdFor(deviceId);
  const stopping = creating(exchange, commandId);
  const target = { deviceId, deviceNo, commandId, attempt: attemptToWrite(stopping) };
  const { state: command, unstoredDetail } = await stops.stopDevice(target, deadlineOf(request), async () => {
    const isReachable = link.isReachable(deviceId);
    const wanted = { deviceNo, commandId, request: EMERGENCY_STOP, isReachable, nowMs };
    return await idempotency.onceUrgently(stopping, (slices) => slices.commands.issue(wanted));
  });
  const record = commandRecord(command);
  return unstoredDetail === null ? record : { ...record, ...statusOf(unstoredDetail) };
}

async function issue(
  exchange: Give,
  parts: Parts<'reads' | 'link' | 'directory' | 'idempotency' | 'now'>,
): Promise<CommandRecord> {
  const { request, read } = exchange;
  const { reads, idempotency, link, now } = parts;
  const device = await findDevice(request, parts, 'field');
  const { deviceNo, deviceId } = device;
  const wanted = read.body(request);
  const confirmed = await requireConfirmed(exchange, device, parts);
  const nowMs = now();
  const commandId = newId('cmd', nowMs);
  const isReachable = link.isReachable(deviceId);
  const { result, isAllSent } = await idempotency.once(creating(confirmed, commandId), (slices) =>
    slices.commands.issue({ deviceNo, commandId, request: wanted, isReachable, nowMs }),
  );
  // A command that was not sent has already failed, which is the answer to the caller and to every repetition.
  const failed = isAllSent
    ? undefined
    : await reads(request).commands.find(deviceNo, result.command.commandId);
  return commandRecord(failed?.result?.reason === 'not_sent' ? failed : result.command);
}
