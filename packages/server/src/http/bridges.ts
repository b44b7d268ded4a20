import type { PendingRequest, StoredBridge } from '@granary/app/bridges';
import { newId } from '@granary/app/ids';
import {
  BRIDGE_ANSWER_S_DEFAULT,
  type Bridge,
  type BridgeDetail,
  type BridgedDevice,
  type BridgeRequest,
  type BridgeResult,
  checkBridgeId,
  type DeclaredUnitsOf,
  UNIT_DIFFERS,
} from '@granary/contract/bridges';
import { endpoints } from '@granary/contract/endpoints/endpoints';
import { Refusal } from '@granary/contract/errors';
import { MINUTE_MS, SECOND_MS, toIso } from '@granary/contract/time';
import { refuseRemoved } from '@granary/core/fleet/removal';
import { canAccess, isUnlimited } from '@granary/core/keys';
import { declaredSensors, isInUse } from '@granary/core/sensors/declared-sensors';
import { quoted } from '@granary/core/words';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hashSecret, newDeviceSecret } from '../process/keys/secrets.ts';
import { limitsOf, refuseOutside } from './access/credentials.ts';
import { deviceNotFound } from './devices/find-device.ts';
import { success } from './protocol/answers.ts';
import { register, registerAtOnce } from './register.ts';
import type { RouteDependencies } from './route-dependencies.ts';

/** A bridge reports at least every twenty seconds. */
export const AWAY_AFTER_MS = MINUTE_MS;
/** How often a wait looks whether another node has brought what it waits for. */
const LOOK_EVERY_MS = 500;

export function bridgeRoutes(routes: FastifyInstance, parts: RouteDependencies): void {
  const { app, changes, directory, link, now } = parts;
  const declared = endpoints.bridges;
  const waits = new Waits();
  routes.addHook('preClose', async () => waits.end());

  async function requireBridge(bridgeId: string): Promise<StoredBridge> {
    const bridge = checkBridgeId.accepts(bridgeId) ? await app.bridges.find(bridgeId) : undefined;
    if (bridge !== undefined) return bridge;
    throw new Refusal('bridge_not_found', `no bridge has reported as ${quoted(bridgeId)}`);
  }

  /** The devices that the caller may access; one that is not registered belongs to nobody but callers without limits. */
  async function visible(
    request: FastifyRequest,
    devices: readonly BridgedDevice[],
  ): Promise<BridgedDevice[]> {
    const limits = limitsOf(request);
    if (isUnlimited(limits)) return [...devices];
    const seen: BridgedDevice[] = [];
    for (const device of devices) {
      const found = await directory.find(device.device_id);
      if (found !== undefined && canAccess(limits, found)) seen.push(device);
    }
    return seen;
  }

  async function detail(request: FastifyRequest, bridge: StoredBridge): Promise<BridgeDetail> {
    const devices = await visible(request, await app.bridges.devices(bridge.bridgeId));
    return { ...record(bridge, devices, now()), devices };
  }

  async function accessible(request: FastifyRequest, deviceId: string) {
    const device = await directory.find(deviceId);
    refuseOutside(request, device, () => deviceNotFound(deviceId));
    return device;
  }

  /** Asks a bridge, and waits until it has answered. */
  async function ask(
    request: FastifyRequest,
    reply: FastifyReply,
    bridge: StoredBridge,
    asked: Omit<PendingRequest, 'bridgeId' | 'requestId' | 'createdAtMs' | 'expiresAtMs'>,
    waitS: number,
  ): Promise<BridgeResult> {
    const { bridgeId, reportedAtMs } = bridge;
    const nowMs = now();
    if (nowMs - reportedAtMs > AWAY_AFTER_MS) {
      throw new Refusal(
        'bridge_not_answering',
        `the bridge ${quoted(bridgeId)} has not reported since ${toIso(reportedAtMs)}`,
      );
    }
    const requestId = newId('br', nowMs);
    const pending = {
      ...asked,
      bridgeId,
      requestId,
      createdAtMs: nowMs,
      expiresAtMs: nowMs + waitS * SECOND_MS,
    };
    await changes(request).bridges.ask(pending);
    waits.wake(bridgeId);
    const result = await waits.until(requestId, waitS * SECOND_MS, reply, () =>
      app.bridges.result(requestId),
    );
    if (result !== undefined) return result;
    throw new Refusal(
      'bridge_not_answering',
      `the bridge ${quoted(bridgeId)} has not answered within ${waitS} s`,
    );
  }

  /** Of a device that is registered and that the caller may access. */
  async function unitsOf(request: FastifyRequest, deviceId: string): Promise<DeclaredUnitsOf | undefined> {
    const device = await app.devices.find(deviceId);
    if (device === undefined || !canAccess(limitsOf(request), device)) return undefined;
    const inUse = declaredSensors(device.sensorDocument).sensors.filter(isInUse);
    return Object.fromEntries(inUse.map(({ sensorId, unit }) => [sensorId, unit]));
  }

  /** The secret is made when the bridge takes the request, so that it is stored nowhere. */
  async function handOver(
    request: FastifyRequest,
    { requestId, kind, device_id, mapping, endpoint, unit, options }: PendingRequest,
  ): Promise<BridgeRequest[]> {
    const asked = { request_id: requestId, kind, device_id, mapping, endpoint, unit, options };
    if (kind !== 'add' || device_id === null) return [asked];
    const device = await directory.find(device_id);
    if (device === undefined || !canAccess(limitsOf(request), device)) return [];
    await link.access.readyToReplace(device_id);
    const secret = newDeviceSecret();
    await changes(request).devices.replaceSecret(device.deviceNo, hashSecret(secret), now());
    await link.access.give([{ deviceId: device_id, secret }]);
    const units = await unitsOf(request, device_id);
    return [{ ...asked, secret, ...(units === undefined ? {} : { units }) }];
  }

  registerAtOnce(routes, declared.report, async (request, reply, read) => {
    const { bridge_id: bridgeId } = request.params;
    if (!checkBridgeId.accepts(bridgeId)) {
      throw new Refusal('bridge_not_found', `${quoted(bridgeId)} can be the id of no bridge`);
    }
    const { wait_s: waitS = 0, working = [], units_of: asked = [], ...report } = read.body(request);
    const { isKnown } = await changes(request).bridges.report(bridgeId, report, now());
    for (const { request_id } of report.results ?? []) waits.wake(request_id);
    const open = async () => {
      const pending = await app.bridges.pending(bridgeId, now());
      const news = pending.filter(({ requestId }) => !working.includes(requestId));
      return news.length === 0 ? undefined : news;
    };
    const waitMs = isKnown ? waitS * SECOND_MS : 0;
    const pending = (await waits.until(bridgeId, waitMs, reply, open)) ?? [];
    const requests: BridgeRequest[] = [];
    for (const one of pending) requests.push(...(await handOver(request, one)));
    const units: [deviceId: string, units: DeclaredUnitsOf][] = [];
    for (const deviceId of asked) {
      const own = await unitsOf(request, deviceId);
      if (own !== undefined) units.push([deviceId, own]);
    }
    return success({ time: toIso(now()), known: isKnown, requests, units: Object.fromEntries(units) });
  });

  register(routes, declared.list, async (request) => {
    const bridges: Bridge[] = [];
    for (const bridge of await app.bridges.list()) {
      const { devices, ...rest } = await detail(request, bridge);
      bridges.push({ ...rest, devices: counts(devices) });
    }
    return success(bridges);
  });

  register(routes, declared.get, async (request) =>
    success(await detail(request, await requireBridge(request.params.bridge_id))),
  );

  register(routes, declared.mappings, async (request) => {
    const { bridgeId } = await requireBridge(request.params.bridge_id);
    return success(await app.bridges.mappings(bridgeId));
  });

  registerAtOnce(routes, declared.test, async (request, reply, read) => {
    const bridge = await requireBridge(request.params.bridge_id);
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
    const bridge = await requireBridge(request.params.bridge_id);
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
    const bridge = await requireBridge(bridgeId);
    requireUnlimited(request);
    const has = (await app.bridges.devices(bridgeId)).some((one) => one.device_id === device_id);
    if (!has) throw new Refusal('device_not_found', `this bridge has no device ${quoted(device_id)}`);
    const asked = { kind: 'remove', ...NOTHING, device_id } as const;
    refuseFailed(await ask(request, reply, bridge, asked, BRIDGE_ANSWER_S_DEFAULT));
    return success(await detail(request, bridge));
  });

  register(routes, declared.remove, async (request) => {
    const { bridgeId } = await requireBridge(request.params.bridge_id);
    requireUnlimited(request);
    const devices = await app.bridges.devices(bridgeId);
    const removed = await changes(request).bridges.remove(bridgeId);
    if (removed === undefined) throw new Refusal('bridge_not_found', `${quoted(bridgeId)} is gone already`);
    return success(record(removed, devices, now()));
  });
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
  throw new Refusal('forbidden', 'only a key without limits attaches devices to a bridge');
}

function refuseFailed({ failure }: BridgeResult): void {
  if (failure === null) return;
  throw new Refusal('bridge_refused', failure.detail === '' ? failure.code : failure.detail);
}

const counts = (devices: readonly BridgedDevice[]): Bridge['devices'] => {
  const of = (state: BridgedDevice['state']) => devices.filter((device) => device.state === state).length;
  return {
    total: devices.length,
    answering: of('answering'),
    silent: of('silent'),
    waiting: of('waiting'),
    unit_differs: devices.filter(({ last_failure }) => last_failure?.code === UNIT_DIFFERS).length,
  };
};

const record = (
  { bridgeId, reportedAtMs, state }: StoredBridge,
  devices: readonly BridgedDevice[],
  nowMs: number,
): Bridge => ({
  bridge_id: bridgeId,
  status: nowMs - reportedAtMs > AWAY_AFTER_MS ? 'away' : 'connected',
  reported_at: toIso(reportedAtMs),
  ...state,
  devices: counts(devices),
});

/** Requests that wait for each other: a bridge for something to do, and people for its result. */
class Waits {
  readonly #sleeping = new Map<string, Set<() => void>>();
  #isEnding = false;

  wake(key: string): void {
    for (const wake of this.#sleeping.get(key) ?? []) wake();
  }

  /** Nobody waits any longer, so that the service can stop. */
  end(): void {
    this.#isEnding = true;
    for (const key of this.#sleeping.keys()) this.wake(key);
  }

  /** Looks until something is found, the time is over, or the caller has left. */
  async until<T>(
    key: string,
    waitMs: number,
    reply: FastifyReply,
    look: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const endMs = performance.now() + waitMs;
    const { raw } = reply;
    for (;;) {
      const found = await look();
      const leftMs = endMs - performance.now();
      if (found !== undefined || leftMs <= 0 || this.#isEnding || raw.destroyed) return found;
      await this.#sleep(key, Math.min(leftMs, LOOK_EVERY_MS));
    }
  }

  async #sleep(key: string, forMs: number): Promise<void> {
    const sleeping = this.#sleeping.get(key) ?? new Set();
    this.#sleeping.set(key, sleeping);
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        sleeping.delete(wake);
        if (sleeping.size === 0) this.#sleeping.delete(key);
        resolve();
      };
      const timer = setTimeout(wake, forMs);
      sleeping.add(wake);
    });
  }
}
