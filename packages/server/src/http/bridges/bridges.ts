import type {
  CountsOfBridges,
  PartsWanted,
  StoredBridge,
  StoredPart,
} from '@granary/app/bridges/bridge-rows';
import type { PendingRequest } from '@granary/app/bridges/bridges';
import { newId } from '@granary/app/ids';
import {
  BRIDGE_ANSWER_S_DEFAULT,
  type Bridge,
  type BridgeDetail,
  type BridgeMapping,
  type BridgeResult,
  checkBridgeId,
  type ShownBridgedDevice,
} from '@granary/contract/bridges';
import { endpoints } from '@granary/contract/endpoints/endpoints';
import { Refusal } from '@granary/contract/errors';
import { SECOND_MS, toIso } from '@granary/contract/time';
import {
  type BridgedCounts,
  bridgeSight,
  NO_BRIDGED_DEVICES,
  shownDevice,
  sumOf,
} from '@granary/core/bridges';
import { refuseRemoved } from '@granary/core/fleet/removal';
import { isUnlimited, type Limits } from '@granary/core/keys';
import { quoted } from '@granary/core/words';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { limitsOf, refuseOutside } from '../access/credentials.ts';
import { nextPart } from '../access/request-turns.ts';
import { deviceNotFound } from '../devices/find-device.ts';
import { success } from '../protocol/answers.ts';
import { register, registerAtOnce, registerLong } from '../register.ts';
import type { RouteDependencies } from '../route-dependencies.ts';
import { bridgeRecord, isAway } from './bridge-records.ts';
import { bridgeReportRoutes } from './bridge-reports.ts';
import { BridgeWaits } from './bridge-waits.ts';

/** The number of parts of a bridge that are read in one turn. */
const PARTS_PER_TURN = 100;
/** The number of devices of a caller that are looked for in all bridges in one turn. */
const COUNTED_PER_TURN = 200;

/** A request about one bridge. */
type BridgeCall = FastifyRequest<{ Params: { bridge_id: string } }>;

export function bridgeRoutes(routes: FastifyInstance, parts: RouteDependencies): void {
  const { app, changes, directory, now } = parts;
  const declared = endpoints.bridges;
  const waits = new BridgeWaits();
  routes.addHook('preClose', async () => waits.end());
  bridgeReportRoutes(routes, parts, waits);

  registerLong(routes, declared.list, async (request) => {
    const sight = bridgeSight(request.caller);
    const own = await countsWithin(request, sight.devices);
    const keys = await app.bridges.keys(now());
    const bridges: Bridge[] = [];
    for (const { bridgeId, figures } of await app.bridges.list()) {
      const devices = own === null ? figures.devices : own.get(bridgeId);
      if (devices === undefined) continue;
      await nextPart(request);
      const bridge = await app.bridges.find(bridgeId);
      if (bridge === undefined) continue;
      bridges.push(bridgeRecord(bridge, { sight, devices, key: keys.get(bridgeId) ?? null }, now()));
    }
    return success(bridges);
  });

  registerLong(routes, declared.get, async (request) =>
    success(await detail(request, await requireBridge(request))),
  );

  registerLong(routes, declared.mappings, async (request) => {
    const { bridgeId } = await requireBridge(request);
    requireUnlimited(request);
    const mappings: BridgeMapping[] = [];
    const wanted = partsOf(request, (part) => app.bridges.mappings(bridgeId, part));
    for await (const { body } of wanted) mappings.push(JSON.parse(body));
    return success(mappings);
  });

  registerAtOnce(routes, declared.test, async (request, reply, read) => {
    const bridge = await requireBridge(request);
    const wanted = read.body(request);
    const { wait_s: waitS = BRIDGE_ANSWER_S_DEFAULT } = wanted;
    if ('device_id' in wanted) await accessible(request, wanted.device_id);
    else requireUnlimited(request);
    const asked =
      'device_id' in wanted
        ? { ...NOTHING, device_id: wanted.device_id }
        : { ...NOTHING, ...placeOf(wanted) };
    const result = await ask(request, reply, bridge, { kind: 'test', ...asked }, waitS);
    const { failure, round_trip_ms = null, points = [] } = result;
    return success({ failure, round_trip_ms, points });
  });

  registerAtOnce(routes, declared.addDevice, async (request, reply, read) => {
    const bridge = await requireBridge(request);
    const wanted = read.body(request);
    requireUnlimited(request);
    refuseRemoved(await accessible(request, wanted.device_id));
    const asked = { kind: 'add', ...placeOf(wanted), device_id: wanted.device_id } as const;
    const { wait_s: waitS = BRIDGE_ANSWER_S_DEFAULT } = wanted;
    refuseFailed(await ask(request, reply, bridge, asked, waitS));
    return success(await detail(request, bridge));
  });

  registerAtOnce(routes, declared.removeDevice, async (request, reply) => {
    const { bridge_id: bridgeId, device_id } = request.params;
    // A bridge may have a device that is not registered any more.
    if (!isUnlimited(limitsOf(request))) await accessible(request, device_id);
    const bridge = await requireBridge(request);
    requireUnlimited(request);
    if (!(await app.bridges.hasDevice(bridgeId, device_id))) {
      throw new Refusal('device_not_found', `this bridge has no device ${quoted(device_id)}`);
    }
    const asked = { kind: 'remove', ...NOTHING, device_id } as const;
    refuseFailed(await ask(request, reply, bridge, asked, BRIDGE_ANSWER_S_DEFAULT));
    return success(await detail(request, bridge));
  });

  register(routes, declared.give, async (request, _reply, read) => {
    const { bridge_id: bridgeId } = request.params;
    if (!checkBridgeId.accepts(bridgeId)) throw notFound(bridgeId);
    const { key_id: keyId } = read.body(request);
    requireUnlimited(request);
    return success(await changes(request).bridges.give(bridgeId, keyId, now()));
  });

  register(routes, declared.remove, async (request) => {
    const { bridgeId } = await requireBridge(request);
    requireUnlimited(request);
    const key = (await app.bridges.keys(now())).get(bridgeId) ?? null;
    const removed = await changes(request).bridges.remove(bridgeId);
    if (removed === undefined) throw notFound(bridgeId);
    const { devices } = removed.figures;
    return success(bridgeRecord(removed, { sight: bridgeSight(request.caller), devices, key }, now()));
  });

  /** Returns the bridge of the request; refuses one that the caller may not see. */
  async function requireBridge(request: BridgeCall): Promise<StoredBridge> {
    const { bridge_id: bridgeId } = request.params;
    const bridge = checkBridgeId.accepts(bridgeId) ? await app.bridges.find(bridgeId) : undefined;
    if (bridge === undefined) throw notFound(bridgeId);
    const own = await countsWithin(request, bridgeSight(request.caller).devices);
    if (own !== null && !own.has(bridgeId)) throw notFound(bridgeId);
    return bridge;
  }

  /** How many devices within the limits each bridge has; `null` without limits. */
  async function countsWithin(request: FastifyRequest, limits: Limits): Promise<CountsOfBridges | null> {
    if (isUnlimited(limits)) return null;
    const sums = new Map<string, BridgedCounts>();
    for (let after: string | null = ''; after !== null; ) {
      const { counts, next } = await app.bridges.countWithin(limits, { after, limit: COUNTED_PER_TURN });
      for (const [bridgeId, more] of counts)
        sums.set(bridgeId, sumOf(sums.get(bridgeId) ?? NO_BRIDGED_DEVICES, more));
      after = next;
      if (after !== null) await nextPart(request);
    }
    return sums;
  }

  async function accessible(request: FastifyRequest, deviceId: string) {
    const device = await directory.find(deviceId);
    refuseOutside(request, device, () => deviceNotFound(deviceId));
    return device;
  }

  /** Reads few parts in each turn, because a bridge may have thousands. */
  async function* partsOf(request: FastifyRequest, read: (wanted: PartsWanted) => Promise<StoredPart[]>) {
    for (let after = ''; ; ) {
      const found = await read({ after, limit: PARTS_PER_TURN });
      yield* found;
      const last = found.at(-1);
      if (last === undefined || found.length < PARTS_PER_TURN) return;
      after = last.name;
      await nextPart(request);
    }
  }

  /** The record of a bridge with the devices that the caller may see. */
  async function detail(request: FastifyRequest, bridge: StoredBridge): Promise<BridgeDetail> {
    const { bridgeId, figures } = bridge;
    const sight = bridgeSight(request.caller);
    const devices: ShownBridgedDevice[] = [];
    const wanted = partsOf(request, (part) => app.bridges.devices(bridgeId, sight.devices, part));
    for await (const { facility, body } of wanted) {
      const shown = shownDevice(JSON.parse(body), sight, facility);
      if (shown !== null) devices.push(shown);
    }
    const key = (await app.bridges.keys(now())).get(bridgeId) ?? null;
    return { ...bridgeRecord(bridge, { sight, devices: figures.devices, key }, now()), devices };
  }

  /** Asks a bridge, and waits until it has answered. */
  async function ask(
    request: FastifyRequest,
    reply: FastifyReply,
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
    await changes(request).bridges.ask({ ...asked, bridgeId, requestId, ...times });
    waits.wake(bridgeId);
    const look = () => app.bridges.result(requestId);
    const result = await waits.until({ key: requestId, waitMs, reply, look });
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

const notFound = (bridgeId: string): Refusal =>
  new Refusal('bridge_not_found', `no bridge has reported as ${quoted(bridgeId)}`);

/** A bridge reaches every address of its network, so a key that is limited to some devices does not choose one. */
function requireUnlimited(request: FastifyRequest): void {
  if (isUnlimited(limitsOf(request))) return;
  throw new Refusal('forbidden', 'only a key without limits changes bridges and attaches devices to them');
}

function refuseFailed({ failure }: BridgeResult): void {
  if (failure === null) return;
  throw new Refusal('bridge_refused', failure.detail === '' ? failure.code : failure.detail);
}
