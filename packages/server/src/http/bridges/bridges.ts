import type { StoredBridge } from '@granary/app/bridges/bridge-rows';
import type { PendingRequest } from '@granary/app/bridges/bridges';
import { newId } from '@granary/app/ids';
import {
  BRIDGE_ANSWER_S_DEFAULT,
  type Bridge,
  type BridgeMapping,
  type BridgeResult,
  checkBridgeId,
} from '@granary/contract/bridges';
import { endpoints } from '@granary/contract/endpoints/endpoints';
import { Refusal } from '@granary/contract/errors';
import { SECOND_MS, toIso } from '@granary/contract/time';
import { bridgeSight } from '@granary/core/bridges';
import { refuseRemoved } from '@granary/core/fleet/removal';
import { isUnlimited } from '@granary/core/keys';
import { quoted } from '@granary/core/words';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { limitsOf, refuseOutside } from '../access/credentials.ts';
import { nextPart } from '../access/request-turns.ts';
import { deviceNotFound } from '../devices/find-device.ts';
import type { Exchange } from '../exchange.ts';
import { success } from '../protocol/answers.ts';
import { register, registerAtOnce, registerLong } from '../register.ts';
import type { Parts } from '../route-dependencies.ts';
import { bridgeRecord, isAway } from './bridge-records.ts';
import { bridgeReportRoutes } from './bridge-reports.ts';
import { BridgeWaits } from './bridge-waits.ts';
import { bridgeNotFound, SeenBridges } from './seen-bridges.ts';

export function bridgeRoutes(
  routes: FastifyInstance,
  parts: Parts<'reads' | 'changes' | 'link' | 'directory' | 'now'>,
): void {
  const waits = new BridgeWaits();
  routes.addHook('preClose', async () => waits.end());
  bridgeReportRoutes(routes, parts, waits);
  seenBridgeRoutes(routes, parts);
  attachedDeviceRoutes(routes, parts, waits);
}

/** The bridges themselves: what callers see of them, and whose they are. */
function seenBridgeRoutes(routes: FastifyInstance, parts: Parts<'reads' | 'changes' | 'now'>): void {
  const { reads, changes, now } = parts;
  const declared = endpoints.bridges;
  const seen = new SeenBridges(parts);

  registerLong(routes, declared.list, async ({ request }) => {
    const sight = bridgeSight(request.caller);
    const own = await seen.countsWithin(request, sight.devices);
    const keys = await reads(request).bridges.keys(now());
    const bridges: Bridge[] = [];
    for (const { bridgeId, figures } of await reads(request).bridges.list()) {
      const devices = own === null ? figures.devices : own.get(bridgeId);
      if (devices === undefined) continue;
      await nextPart(request);
      const bridge = await reads(request).bridges.find(bridgeId);
      if (bridge === undefined) continue;
      bridges.push(bridgeRecord(bridge, { sight, devices, key: keys.get(bridgeId) ?? null }, now()));
    }
    return success(bridges);
  });

  registerLong(routes, declared.get, async ({ request }) =>
    success(await seen.detail(request, await seen.require(request))),
  );

  registerLong(routes, declared.mappings, async ({ request }) => {
    const { bridgeId } = await seen.require(request);
    requireUnlimited(request);
    const mappings: BridgeMapping[] = [];
    const wanted = seen.partsOf(request, (part) => reads(request).bridges.mappings(bridgeId, part));
    for await (const { body } of wanted) mappings.push(JSON.parse(body));
    return success(mappings);
  });

  register(routes, declared.give, async (exchange) => {
    const { request, read } = exchange;
    const { bridge_id: bridgeId } = request.params;
    if (!checkBridgeId.accepts(bridgeId)) throw bridgeNotFound(bridgeId);
    const { key_id: keyId } = read.body(request);
    requireUnlimited(request);
    return success(await changes(exchange).bridges.give(bridgeId, keyId, now()));
  });

  register(routes, declared.remove, async (exchange) => {
    const { request } = exchange;
    const { bridgeId } = await seen.require(request);
    requireUnlimited(request);
    const key = (await reads(request).bridges.keys(now())).get(bridgeId) ?? null;
    const removed = await changes(exchange).bridges.remove(bridgeId);
    if (removed === undefined) throw bridgeNotFound(bridgeId);
    const { devices } = removed.figures;
    return success(bridgeRecord(removed, { sight: bridgeSight(request.caller), devices, key }, now()));
  });
}

/** What a bridge is asked to do with its devices. */
function attachedDeviceRoutes(
  routes: FastifyInstance,
  parts: Parts<'reads' | 'changes' | 'directory' | 'now'>,
  waits: BridgeWaits,
): void {
  const { reads, changes, directory, now } = parts;
  const declared = endpoints.bridges;
  const seen = new SeenBridges(parts);

  registerAtOnce(routes, declared.test, async (exchange) => {
    const { request, read } = exchange;
    const bridge = await seen.require(request);
    const wanted = read.body(request);
    const { wait_s: waitS = BRIDGE_ANSWER_S_DEFAULT } = wanted;
    if ('device_id' in wanted) await accessible(request, wanted.device_id);
    else requireUnlimited(request);
    const asked =
      'device_id' in wanted
        ? { ...NOTHING, device_id: wanted.device_id }
        : { ...NOTHING, ...placeOf(wanted) };
    const result = await ask(exchange, bridge, { kind: 'test', ...asked }, waitS);
    const { failure, round_trip_ms = null, points = [] } = result;
    return success({ failure, round_trip_ms, points });
  });

  registerAtOnce(routes, declared.addDevice, async (exchange) => {
    const { request, read } = exchange;
    const bridge = await seen.require(request);
    const wanted = read.body(request);
    requireUnlimited(request);
    refuseRemoved(await accessible(request, wanted.device_id));
    const asked = { kind: 'add', ...placeOf(wanted), device_id: wanted.device_id } as const;
    const { wait_s: waitS = BRIDGE_ANSWER_S_DEFAULT } = wanted;
    refuseFailed(await ask(exchange, bridge, asked, waitS));
    return success(await seen.detail(request, bridge));
  });

  registerAtOnce(routes, declared.removeDevice, async (exchange) => {
    const { request } = exchange;
    const { bridge_id: bridgeId, device_id } = request.params;
    // A bridge may have a device that is not registered any more.
    if (!isUnlimited(limitsOf(request))) await accessible(request, device_id);
    const bridge = await seen.require(request);
    requireUnlimited(request);
    if (!(await reads(request).bridges.hasDevice(bridgeId, device_id))) {
      throw new Refusal('device_not_found', `this bridge has no device ${quoted(device_id)}`);
    }
    const asked = { kind: 'remove', ...NOTHING, device_id } as const;
    refuseFailed(await ask(exchange, bridge, asked, BRIDGE_ANSWER_S_DEFAULT));
    return success(await seen.detail(request, bridge));
  });

  async function accessible(request: FastifyRequest, deviceId: string) {
    const device = await directory.findBy(reads(request), deviceId);
    refuseOutside(request, device, () => deviceNotFound(deviceId));
    return device;
  }

  /** Asks a bridge, and waits until it has answered. */
  async function ask(
    exchange: Exchange,
    { bridgeId, reportedAtMs }: StoredBridge,
    asked: Omit<PendingRequest, 'bridgeId' | 'requestId' | 'createdAtMs' | 'expiresAtMs'>,
    waitS: number,
  ): Promise<BridgeResult> {
    const nowMs = now();
    const refusal = (what: string) =>
      new Refusal('bridge_not_answering', `the bridge ${quoted(bridgeId)} has not ${what}`);
    if (isAway(reportedAtMs, nowMs)) throw refusal(`reported since ${toIso(reportedAtMs)}`);
    const requestId = newId('br', nowMs);
    const waitMs = waitS * SECOND_MS;
    const times = { createdAtMs: nowMs, expiresAtMs: nowMs + waitMs };
    await changes(exchange).bridges.ask({ ...asked, bridgeId, requestId, ...times });
    waits.wake(bridgeId);
    const look = () => reads(exchange.request).bridges.result(requestId);
    const result = await waits.until({ key: requestId, waitMs, reply: exchange.reply, look });
    if (result === undefined) throw refusal(`answered within ${waitS} s`);
    return result;
  }
}

const NOTHING = { device_id: null, mapping: null, endpoint: null, unit: null, options: {} };

const placeOf = ({
  mapping,
  endpoint,
  unit = null,
  options = {},
}: Pick<PendingRequest, 'mapping' | 'endpoint'> & Partial<Pick<PendingRequest, 'unit' | 'options'>>) => ({
  mapping,
  endpoint,
  unit,
  options,
});

/** A bridge reaches every address of its network, so a key that is limited to some devices does not choose one. */
function requireUnlimited(request: FastifyRequest): void {
  if (isUnlimited(limitsOf(request))) return;
  throw new Refusal('forbidden', 'only a key without limits changes bridges and attaches devices to them');
}

function refuseFailed({ failure }: BridgeResult): void {
  if (failure === null) return;
  throw new Refusal('bridge_refused', failure.detail === '' ? failure.code : failure.detail);
}
