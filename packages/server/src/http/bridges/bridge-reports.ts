import type { PendingRequest } from '@granary/app/bridges/bridges';
import { type BridgeRequest, checkBridgeId, type DeclaredUnitsOf } from '@granary/contract/bridges';
import { endpoints } from '@granary/contract/endpoints/endpoints';
import { Refusal } from '@granary/contract/errors';
import { SECOND_MS, toIso } from '@granary/contract/time';
import { canAccess, secretHolderOf } from '@granary/core/keys';
import { declaredSensors, isInUse } from '@granary/core/sensors/declared-sensors';
import { quoted } from '@granary/core/words';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { hashSecret, newDeviceSecret } from '../../process/keys/secrets.ts';
import { limitsOf } from '../access/credentials.ts';
import { nextPart } from '../access/request-turns.ts';
import type { Exchange } from '../exchange.ts';
import { success } from '../protocol/answers.ts';
import { registerAtOnce } from '../register.ts';
import type { Parts } from '../route-dependencies.ts';
import type { BridgeWaits } from './bridge-waits.ts';

/** The number of devices that are looked up in one turn. */
const DEVICES_PER_PART = 20;

/** The routes that a bridge itself calls: it reports, and gets the requests of people. */
export function bridgeReportRoutes(
  routes: FastifyInstance,
  parts: Parts<'reads' | 'changes' | 'link' | 'now'>,
  waits: BridgeWaits,
): void {
  const { reads, changes, link, now } = parts;

  registerAtOnce(routes, endpoints.bridges.report, async (exchange) => {
    const { request, reply, read } = exchange;
    const { bridge_id: bridgeId } = request.params;
    if (!checkBridgeId.accepts(bridgeId)) {
      throw new Refusal('bridge_not_found', `${quoted(bridgeId)} can be the id of no bridge`);
    }
    const {
      wait_s: waitS = 0,
      working = [],
      units_of: asked = [],
      missed_answer,
      ...report
    } = read.body(request);
    const reporting = { bridgeId, keyId: secretHolderOf(request.caller), session: report.session };
    const stored = changes(exchange).bridges.report(reporting, limitsOf(request), report, now());
    const { isKnown } = await stored;
    for (const { request_id } of report.results ?? []) waits.wake(request_id);
    const units = await unitsOf(request, asked);
    const look = async (): Promise<PendingRequest[] | undefined> => {
      const pending = await reads(request).bridges.pending(bridgeId, now());
      const news = pending.filter(({ requestId }) => !working.includes(requestId));
      return news.length === 0 ? undefined : news;
    };
    const waitMs = isKnown ? waitS * SECOND_MS : 0;
    const pending = (await waits.untilNextReport({ key: bridgeId, waitMs, reply, look })) ?? [];
    const requests: BridgeRequest[] = [];
    for (const one of pending) {
      requests.push(...(await handOver(exchange, { ...reporting, isRepeated: missed_answer === true }, one)));
    }
    return success({ time: toIso(now()), known: isKnown, requests, units });
  });

  /** The declared units of those devices that are registered and that the key may access. */
  async function unitsOf(
    request: FastifyRequest,
    deviceIds: readonly string[],
  ): Promise<Record<string, DeclaredUnitsOf>> {
    const limits = limitsOf(request);
    const units: [deviceId: string, units: DeclaredUnitsOf][] = [];
    for (let at = 0; at < deviceIds.length; at += DEVICES_PER_PART) {
      if (at > 0) await nextPart(request);
      for (const device of await reads(request).bridges.sensors(deviceIds.slice(at, at + DEVICES_PER_PART))) {
        if (!canAccess(limits, device)) continue;
        const inUse = declaredSensors(device.sensorDocument).sensors.filter(isInUse);
        units.push([
          device.deviceId,
          Object.fromEntries(inUse.map(({ sensorId, unit }) => [sensorId, unit])),
        ]);
      }
    }
    return Object.fromEntries(units);
  }

  /** Returns nothing unless the request is taken. The secret is made now, so that it is stored nowhere in clear text. */
  async function handOver(
    exchange: Exchange,
    taker: { bridgeId: string; keyId: string; session: string; isRepeated: boolean },
    { requestId, kind, device_id: deviceId, mapping, endpoint, unit, options }: PendingRequest,
  ): Promise<BridgeRequest[]> {
    const secret = newDeviceSecret();
    const bringsSecret = kind === 'add' && deviceId !== null;
    if (bringsSecret) await link.access.readyToReplace(deviceId, exchange.request.time);
    const taking = { ...taker, requestId, secretHash: hashSecret(secret) };
    const taken = await changes(exchange).bridges.take(taking, now());
    if (taken === undefined) return [];
    const asked = { request_id: requestId, kind, device_id: deviceId, mapping, endpoint, unit, options };
    if (!bringsSecret) return [asked];
    await link.access.give([{ deviceId, secret }], exchange.request.time);
    return [{ ...asked, secret, units: (await unitsOf(exchange.request, [deviceId]))[deviceId] ?? {} }];
  }
}
