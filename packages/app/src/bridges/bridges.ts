import {
  BRIDGE_DEVICES_MAX,
  BRIDGE_MAPPINGS_MAX,
  BRIDGE_REQUESTS_MAX,
  type BridgedDevice,
  type BridgeKey,
  type BridgeReport,
  type BridgeRequest,
  type BridgeResult,
} from '@granary/contract/bridges';
import { Refusal } from '@granary/contract/errors';
import { NO_BRIDGED_DEVICES, recount } from '@granary/core/bridges';
import { canAccess, hasScope, isUnlimited, isValidAt, type Limits, limitsWith } from '@granary/core/keys';
import { quoted } from '@granary/core/words';
import { insertRows, updateRows } from '@granary/store/rows';
import type { Sql } from '@granary/store/sql';
import { keysOfBridge, newestKeysOfBridges, putKeyOfBridge } from '../bridge-keys.ts';
import { lockDeviceRowsById, type StoredDevice } from '../device-rows.ts';
import { writes as deviceWrites } from '../devices/devices.ts';
import { type Committed, committed } from '../effects.ts';
import { findCaller, lockKey } from '../keys/key-rows.ts';
import { refuseLimited, refuseOutside } from '../rights.ts';
import type { Transaction } from '../transaction.ts';
import {
  insertBridge,
  type LockedBridge,
  lockBridge,
  lockNumberOfBridges,
  lockOrClaimBridge,
  type Reporting,
} from './bridge-owners.ts';
import {
  type BridgeFigures,
  type BridgeState,
  countRows,
  countWithin,
  findBridge,
  findDevices,
  listDevices,
  listParts,
  listSummaries,
  type PartsWanted,
  putDevices,
  putMappings,
  removeDevices,
  type StoredBridge,
} from './bridge-rows.ts';

export interface PendingRequest extends Omit<BridgeRequest, 'request_id' | 'secret'> {
  readonly bridgeId: string;
  readonly requestId: string;
  readonly createdAtMs: number;
  /** After this time nobody waits for a result, and the request is not sent to the bridge any more. */
  readonly expiresAtMs: number;
}

/** The bridge session that takes a request, and the data that it gets with the request. */
export interface Taking extends Reporting {
  readonly requestId: string;
  /** The hash of the new secret that is sent with a device; it is stored only if the request is taken. */
  readonly secretHash: string;
  /** The session reports that it did not receive what was sent to it before. */
  readonly isRepeated: boolean;
}

interface RequestRow {
  readonly session: string | null;
  readonly body: string;
}

type DeclaredFor = Pick<StoredDevice, 'deviceId' | 'facility' | 'sensorDocument'>;

export const reads = {
  find: findBridge,
  list: listSummaries,
  keys: newestKeysOfBridges,
  countWithin,
  devices: listDevices,
  mappings: (sql: Sql, bridgeId: string, wanted: PartsWanted) => listParts(sql, bridgeId, 'mapping', wanted),

  /** Returns the declared sensors of these devices; devices that are not registered are left out. */
  async sensors(sql: Sql, deviceIds: readonly string[]): Promise<DeclaredFor[]> {
    return await sql.query<DeclaredFor>(
      `SELECT device_id, facility, sensors AS sensor_document FROM devices WHERE ${sql.isOneOf('device_id', '$1')}`,
      [JSON.stringify(deviceIds)],
    );
  },

  async hasDevice(sql: Sql, bridgeId: string, deviceId: string): Promise<boolean> {
    return (await findDevices(sql, bridgeId, [deviceId])).length > 0;
  },

  /** Returns the requests that the bridge has not answered yet, in the order of their creation. */
  async pending(sql: Sql, bridgeId: string, nowMs: number): Promise<PendingRequest[]> {
    const rows = await sql.query<{ readonly body: string }>(
      `SELECT body FROM bridge_requests
       WHERE bridge_id = $1 AND result IS NULL AND expires_at_ms > $2 ORDER BY request_id LIMIT ${BRIDGE_REQUESTS_MAX}`,
      [bridgeId, nowMs],
    );
    return rows.map(({ body }) => JSON.parse(body));
  },

  /** Returns `undefined` while the bridge has not answered. */
  async result(sql: Sql, requestId: string): Promise<BridgeResult | undefined> {
    const [row] = await sql.query<{ readonly result: string | null }>(
      'SELECT result FROM bridge_requests WHERE request_id = $1',
      [requestId],
    );
    return row?.result == null ? undefined : JSON.parse(row.result);
  },
};

export const writes = {
  /** Stores a report, and the results in it; returns whether the session was known. */
  async report(
    tx: Transaction,
    reporting: Reporting,
    limits: Limits,
    report: BridgeReport,
    nowMs: number,
  ): Promise<Committed<{ readonly isKnown: boolean }>> {
    const { sql } = tx;
    const { bridgeId } = reporting;
    const { session, version, started_at, site, journal, devices = [], gone = [], mappings = [] } = report;
    const before = await lockOrClaimBridge(sql, reporting, nowMs);
    await refuseOthers(sql, limits, devices);
    const isKnown = before.session === session;
    if (!isKnown) await sql.run('DELETE FROM bridge_parts WHERE bridge_id = $1', [bridgeId]);
    const present = new Map(devices.map((device) => [device.device_id, device]));
    const changed = [...present.keys(), ...gone];
    const replaced = isKnown && changed.length > 0 ? await findDevices(sql, bridgeId, changed) : [];
    const counts = recount(countsOf(isKnown ? before : null), replaced, [...present.values()]);
    if (counts.total > BRIDGE_DEVICES_MAX) {
      throw new Refusal('bridge_limit_reached', `a bridge has at most ${BRIDGE_DEVICES_MAX} devices`);
    }
    if (gone.length > 0) await removeDevices(sql, bridgeId, gone);
    await putDevices(sql, bridgeId, present);
    await putMappings(sql, bridgeId, new Map(mappings.map((mapping) => [mapping.name, mapping])));
    if (mappings.length > 0) await refuseTooManyMappings(sql, bridgeId);
    const { readings, bytes, dropped } = journal;
    const figures: BridgeFigures = {
      devices: counts,
      journal: { readings, bytes, dropped },
      siteFaults: site.faults.length,
    };
    const state: BridgeState = { version, started_at, site, journal };
    const row = {
      session,
      reportedAtMs: nowMs,
      figures: JSON.stringify(figures),
      body: JSON.stringify(state),
    };
    await updateRows(sql, 'bridges', { bridgeId }, row);
    for (const result of report.results ?? []) await answer(sql, bridgeId, session, result);
    return committed({ isKnown });
  },

  /** Creates a request for a bridge, and removes the requests that have expired. */
  async ask(tx: Transaction, request: PendingRequest): Promise<Committed<PendingRequest>> {
    const { bridgeId, requestId, createdAtMs, expiresAtMs } = request;
    await lockBridge(tx.sql, bridgeId);
    await refuseForeign(tx, request);
    await tx.sql.run('DELETE FROM bridge_requests WHERE bridge_id = $1 AND expires_at_ms < $2', [
      bridgeId,
      createdAtMs,
    ]);
    const waiting = await countRows(tx.sql, 'bridge_requests WHERE bridge_id = $1 AND result IS NULL', [
      bridgeId,
    ]);
    if (waiting >= BRIDGE_REQUESTS_MAX) {
      throw new Refusal('bridge_limit_reached', `${waiting} requests wait for this bridge already`);
    }
    await insertRows(tx.sql, { table: 'bridge_requests' }, [
      { requestId, bridgeId, expiresAtMs, body: JSON.stringify(request), result: null },
    ]);
    return committed(request);
  },

  /**
   * Gives a request to the session that reports now, if the bridge still belongs to its key and the key has not ended. A
   * request with a new secret is given to one session and only once, unless this session says that it did not receive it:
   * another process that has the key, or uses it later, gets no secret.
   */
  async take(tx: Transaction, taking: Taking, nowMs: number): Promise<Committed<PendingRequest | undefined>> {
    const { sql } = tx;
    const { bridgeId, keyId, session, requestId, secretHash, isRepeated } = taking;
    const [asked] = await openRequest(sql, taking, nowMs);
    if (asked === undefined) return committed(undefined);
    const request: PendingRequest = JSON.parse(asked.body);
    const { kind, device_id: deviceId } = request;
    const wanted = kind === 'add' && deviceId !== null ? [deviceId] : [];
    const [device] = await lockDeviceRowsById(sql, wanted);
    const bridge = await lockBridge(sql, bridgeId);
    const key = await findCaller(sql, keyId);
    const mayReport =
      bridge?.session === session &&
      (await keysOfBridge(sql, bridgeId)).includes(keyId) &&
      key !== undefined &&
      isValidAt(key, nowMs) &&
      hasScope(key, 'ingest');
    // Another session may have taken the request before it was locked.
    const [open] = await openRequest(sql, taking, nowMs);
    if (!mayReport || open === undefined) return committed(undefined);
    const isGivenAlready = open.session !== null && (open.session !== session || !isRepeated);
    if (kind === 'add' && isGivenAlready) return committed(undefined);
    await updateRows(sql, 'bridge_requests', { requestId }, { session });
    if (kind !== 'add') return committed(request);
    if (
      device === undefined ||
      device.removedAtMs !== null ||
      !canAccess(limitsWith(key, 'ingest'), device)
    ) {
      const failure = { code: 'refused', detail: 'the key of the bridge may not report for this device' };
      await answer(sql, bridgeId, session, { request_id: requestId, failure });
      return committed(undefined);
    }
    const { effects } = await deviceWrites.replaceSecret(tx, device.deviceNo, secretHash, nowMs);
    return committed(request, ...effects);
  },

  /** Makes the key the only one that reports for the bridge; former sessions of the bridge are no longer valid. */
  async give(tx: Transaction, bridgeId: string, keyId: string, nowMs: number): Promise<Committed<BridgeKey>> {
    const { sql } = tx;
    await lockNumberOfBridges(sql);
    const key = await lockKey(sql, keyId);
    await refuseLimited(tx, CHANGE_BRIDGES);
    if (key?.kind !== 'service' || !isValidAt(key, nowMs) || !hasScope(key, 'ingest')) {
      throw new Refusal('key_not_found', `there is no key ${quoted(keyId)} with the scope ingest`);
    }
    if ((await lockBridge(sql, bridgeId)) === undefined) await insertBridge(sql, bridgeId);
    const before = await keysOfBridge(sql, bridgeId);
    if (before.length !== 1 || before[0] !== keyId) {
      await putKeyOfBridge(sql, bridgeId, keyId);
      await updateRows(sql, 'bridges', { bridgeId }, { session: null });
    }
    return committed({ bridge_id: bridgeId, key_id: keyId, name: key.name });
  },

  async remove(tx: Transaction, bridgeId: string): Promise<Committed<StoredBridge | undefined>> {
    const bridge = await findBridge(tx.sql, bridgeId);
    await lockBridge(tx.sql, bridgeId);
    await refuseLimited(tx, CHANGE_BRIDGES);
    // The keys of the bridge stay: otherwise the next process to report would get the running bridge and the secrets that are meant for it.
    for (const table of ['bridges', 'bridge_parts', 'bridge_requests']) {
      await tx.sql.run(`DELETE FROM ${table} WHERE bridge_id = $1`, [bridgeId]);
    }
    return committed(bridge);
  },
};

/** A bridge can reach every address of its network, so a caller with limits may only test a device that the bridge has already. */
async function refuseForeign(tx: Transaction, { kind, device_id: deviceId }: PendingRequest): Promise<void> {
  if (kind !== 'test' || deviceId === null) return await refuseLimited(tx, CHANGE_BRIDGES);
  const [device] = await tx.sql.query<Pick<StoredDevice, 'deviceNo'>>(
    'SELECT device_no FROM devices WHERE device_id = $1',
    [deviceId],
  );
  if (device === undefined) await refuseLimited(tx, CHANGE_BRIDGES);
  else await refuseOutside(tx, device.deviceNo);
}

const CHANGE_BRIDGES = 'change bridges and attach devices to them';

const countsOf = (bridge: LockedBridge | null): BridgeFigures['devices'] =>
  bridge?.figures == null ? NO_BRIDGED_DEVICES : (JSON.parse(bridge.figures) as BridgeFigures).devices;

async function refuseTooManyMappings(sql: Sql, bridgeId: string): Promise<void> {
  const stored = await countRows(sql, "bridge_parts WHERE bridge_id = $1 AND kind = 'mapping'", [bridgeId]);
  if (stored <= BRIDGE_MAPPINGS_MAX) return;
  throw new Refusal('bridge_limit_reached', `a bridge has at most ${BRIDGE_MAPPINGS_MAX} mappings`);
}

/** Finds a request that has no result yet and has not expired. */
async function openRequest(
  sql: Sql,
  { bridgeId, requestId }: Pick<Taking, 'bridgeId' | 'requestId'>,
  nowMs: number,
): Promise<RequestRow[]> {
  return await sql.query<RequestRow>(
    `SELECT session, body FROM bridge_requests
     WHERE request_id = $1 AND bridge_id = $2 AND result IS NULL AND expires_at_ms > $3`,
    [requestId, bridgeId, nowMs],
  );
}

/** Stores a result, once, and only from the session that has taken the request. */
async function answer(sql: Sql, bridgeId: string, session: string, result: BridgeResult): Promise<void> {
  await sql.run(
    `UPDATE bridge_requests SET result = $4
     WHERE request_id = $1 AND bridge_id = $2 AND session = $3 AND result IS NULL`,
    [result.request_id, bridgeId, session, JSON.stringify(result)],
  );
}

/** A limited key may only report about registered devices within its limits. */
async function refuseOthers(sql: Sql, limits: Limits, devices: readonly BridgedDevice[]): Promise<void> {
  if (isUnlimited(limits) || devices.length === 0) return;
  const deviceIds = devices.map(({ device_id }) => device_id);
  const rows = await sql.query<{ readonly deviceId: string; readonly facility: string }>(
    `SELECT device_id, facility FROM devices WHERE ${sql.isOneOf('device_id', '$1')}`,
    [JSON.stringify(deviceIds)],
  );
  const allowed = new Set(rows.filter((place) => canAccess(limits, place)).map(({ deviceId }) => deviceId));
  const other = deviceIds.find((deviceId) => !allowed.has(deviceId));
  if (other === undefined) return;
  throw new Refusal('forbidden', `the key of the bridge may not report about the device ${quoted(other)}`);
}
