import type {
  CountsOfBridges,
  PartsWanted,
  StoredBridge,
  StoredPart,
} from '@granary/app/bridges/bridge-rows';
import { type BridgeDetail, checkBridgeId, type ShownBridgedDevice } from '@granary/contract/bridges';
import { Refusal } from '@granary/contract/errors';
import {
  type BridgedCounts,
  bridgeSight,
  NO_BRIDGED_DEVICES,
  shownDevice,
  sumOf,
} from '@granary/core/bridges';
import { isUnlimited, type Limits } from '@granary/core/keys';
import { quoted } from '@granary/core/words';
import type { FastifyRequest } from 'fastify';
import { nextPart } from '../access/request-turns.ts';
import type { Parts } from '../route-dependencies.ts';
import { bridgeRecord } from './bridge-records.ts';

/** The number of parts of a bridge that are read in one turn. */
const PARTS_PER_TURN = 100;
/** The number of devices of a caller that are looked for in all bridges in one turn. */
const COUNTED_PER_TURN = 200;

/** A request about one bridge. */
type BridgeCall = FastifyRequest<{ Params: { bridge_id: string } }>;

export const bridgeNotFound = (bridgeId: string): Refusal =>
  new Refusal('bridge_not_found', `no bridge has reported as ${quoted(bridgeId)}`);

/** Reads bridges with what a caller may see of them, in turns, because a bridge may have thousands of devices. */
export class SeenBridges {
  readonly #parts: Parts<'reads' | 'now'>;

  constructor(parts: Parts<'reads' | 'now'>) {
    this.#parts = parts;
  }

  /** Returns the bridge of the request; refuses one that the caller may not see. */
  async require(request: BridgeCall): Promise<StoredBridge> {
    const { bridge_id: bridgeId } = request.params;
    const bridge = checkBridgeId.accepts(bridgeId)
      ? await this.#parts.reads(request).bridges.find(bridgeId)
      : undefined;
    if (bridge === undefined) throw bridgeNotFound(bridgeId);
    const own = await this.countsWithin(request, bridgeSight(request.caller).devices);
    if (own !== null && !own.has(bridgeId)) throw bridgeNotFound(bridgeId);
    return bridge;
  }

  /** How many devices within the limits each bridge has; `null` without limits. */
  async countsWithin(request: FastifyRequest, limits: Limits): Promise<CountsOfBridges | null> {
    if (isUnlimited(limits)) return null;
    const sums = new Map<string, BridgedCounts>();
    for (let after: string | null = ''; after !== null; ) {
      const { counts, next } = await this.#parts.reads(request).bridges.countWithin(limits, {
        after,
        limit: COUNTED_PER_TURN,
      });
      for (const [bridgeId, more] of counts)
        sums.set(bridgeId, sumOf(sums.get(bridgeId) ?? NO_BRIDGED_DEVICES, more));
      after = next;
      if (after !== null) await nextPart(request);
    }
    return sums;
  }

  /** Reads few parts in each turn, because a bridge may have thousands. */
  async *partsOf(request: FastifyRequest, read: (wanted: PartsWanted) => Promise<StoredPart[]>) {
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
  async detail(request: FastifyRequest, bridge: StoredBridge): Promise<BridgeDetail> {
    const { reads, now } = this.#parts;
    const { bridgeId, figures } = bridge;
    const sight = bridgeSight(request.caller);
    const devices: ShownBridgedDevice[] = [];
    const wanted = this.partsOf(request, (part) =>
      reads(request).bridges.devices(bridgeId, sight.devices, part),
    );
    for await (const { facility, body } of wanted) {
      const shown = shownDevice(JSON.parse(body), sight, facility);
      if (shown !== null) devices.push(shown);
    }
    const key = (await reads(request).bridges.keys(now())).get(bridgeId) ?? null;
    return { ...bridgeRecord(bridge, { sight, devices: figures.devices, key }, now()), devices };
  }
}
