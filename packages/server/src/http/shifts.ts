import { newId } from '@granary/app/ids';
import type { TimePosition } from '@granary/app/shifts/shift-rows';
import { endpoints } from '@granary/contract/endpoints/endpoints';
import { Refusal } from '@granary/contract/errors';
import { issueOf } from '@granary/contract/input/validation-issues';
import { sentence } from '@granary/contract/sentences/codes';
import type { ShiftReport } from '@granary/contract/shifts';
import { ORDERS_AHEAD_MS, SHIFT_ITEMS_MAX, SHIFT_MS_MAX } from '@granary/contract/shifts';
import { checkedTimeMs, DAY_MS, toIso } from '@granary/contract/time';
import { auditRecord } from '@granary/core/audit';
import { commandRecord } from '@granary/core/commands/record';
import { refuseRemoved } from '@granary/core/fleet/removal';
import { forecastSummary } from '@granary/core/foresight/record';
import { limitsWith } from '@granary/core/keys';
import { missionRecord } from '@granary/core/missions/record';
import { operationRecord } from '@granary/core/operations/record';
import { handoverRecord, noteRecord, shiftStartMs } from '@granary/core/shifts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { limitsOf, refuseOutside } from './access/credentials.ts';
import { shownAccess } from './access/factor-of-administrators.ts';
import { nextPart } from './access/request-turns.ts';
import { creating } from './audit/attempt.ts';
import { deviceNotFound } from './devices/find-device.ts';
import { fleetAlert } from './fleet/fleet.ts';
import { chosenZone, deviceOfRecord, selectionOf, timeRangeOf } from './fleet/selection.ts';
import { badCursor, pageOf, readPage, success } from './protocol/answers.ts';
import { register } from './register.ts';
import type { Parts } from './route-dependencies.ts';

/** A note about a time further ahead has a wrong date. */
const NOTED_AHEAD_MS = 366 * DAY_MS;
/** A handover may be written before the shift ends. */
const HANDED_AHEAD_MS = DAY_MS;

export function shiftRoutes(
  routes: FastifyInstance,
  parts: Parts<'settings' | 'reads' | 'changes' | 'directory' | 'idempotency' | 'now'>,
): void {
  const { reads, changes, directory, idempotency, now } = parts;

  register(routes, endpoints.shifts.notes, async ({ request, read }) => {
    const { device_id: deviceId = null, facility = null, from, to, ...asked } = read.query(request);
    const filter = {
      limits: limitsOf(request),
      deviceId,
      facility,
      fromMs: from === undefined ? null : checkedTimeMs(from),
      toMs: to === undefined ? null : checkedTimeMs(to),
    };
    const notesBefore = (cursor: string | null, limit: number) =>
      reads(request).shifts.notes({ ...filter, before: cursor === null ? null : positionOf(cursor), limit });
    return await readPage(
      request,
      pageOf(asked),
      notesBefore,
      ({ atMs, noteNo }) => `${atMs}-${noteNo}`,
      noteRecord,
    );
  });

  /** The number of the device, or `null` for a note on a facility. */
  async function placeOf(
    request: FastifyRequest,
    place: { readonly device_id?: string; readonly facility?: string },
  ): Promise<number | null> {
    const { device_id: deviceId } = place;
    if (deviceId === undefined) return null;
    const device = await directory.findBy(reads(request), deviceId);
    refuseOutside(request, device, () => deviceNotFound(deviceId));
    refuseRemoved(device);
    return device.deviceNo;
  }

  register(routes, endpoints.shifts.addNote, async (exchange) => {
    const { request, read } = exchange;
    const wanted = read.body(request);
    const deviceNo = await placeOf(request, wanted);
    const nowMs = now();
    const atMs = wanted.at === undefined ? nowMs : checkedTimeMs(wanted.at);
    if (atMs < 0 || atMs > nowMs + NOTED_AHEAD_MS) {
      throw new Refusal('invalid_input', 'the note is not valid', [
        issueOf('/at', sentence('is_out_of_range')),
      ]);
    }
    const noteId = newId('nt', nowMs);
    const { result } = await idempotency.once(creating(exchange, noteId), (slices) =>
      slices.shifts.addNote({
        noteId,
        deviceNo,
        facility: wanted.facility ?? null,
        atMs,
        text: wanted.text,
        createdAtMs: nowMs,
      }),
    );
    return success(noteRecord(result));
  });

  register(routes, endpoints.shifts.removeNote, async (exchange) => {
    const { request } = exchange;
    const { note_id: noteId } = request.params;
    return success(noteRecord(await changes(exchange).shifts.removeNote({ noteId, nowMs: now() })));
  });

  handoverRoutes(routes, parts);
  reportRoute(routes, parts);
}

function handoverRoutes(routes: FastifyInstance, parts: Parts<'reads' | 'idempotency' | 'now'>): void {
  const { reads, idempotency, now } = parts;
  register(routes, endpoints.shifts.handovers, async ({ request, read }) => {
    const { facility = null, waiting, ...asked } = read.query(request);
    const filter = { limits: limitsOf(request), facility, isWaiting: waiting === 'true' };
    const handoversBefore = (beforeId: string | null, limit: number) =>
      reads(request).shifts.handovers({ ...filter, beforeId, limit });
    return await readPage(
      request,
      pageOf(asked),
      handoversBefore,
      ({ handoverId }) => handoverId,
      handoverRecord,
    );
  });

  register(routes, endpoints.shifts.handOver, async (exchange) => {
    const { request, read } = exchange;
    const { facility = null, from, to, text } = read.body(request);
    const nowMs = now();
    const times = timeRangeOf({ from, to }, { startMs: () => 0, mostMs: SHIFT_MS_MAX }, nowMs);
    if (times.toMs > nowMs + HANDED_AHEAD_MS) {
      throw new Refusal('invalid_input', 'the handover is not valid', [
        issueOf('/to', sentence('is_out_of_range')),
      ]);
    }
    const handoverId = newId('ho', nowMs);
    const { result } = await idempotency.once(creating(exchange, handoverId), (slices) =>
      slices.shifts.handOver({ handoverId, facility, ...times, text, createdAtMs: nowMs }),
    );
    return success(handoverRecord(result));
  });

  register(routes, endpoints.shifts.acknowledgeHandover, async (exchange) => {
    const { request } = exchange;
    const { handover_id: handoverId } = request.params;
    const { result } = await idempotency.once(exchange, (slices) =>
      slices.shifts.acknowledgeHandover({ handoverId, nowMs: now() }),
    );
    return success(handoverRecord(result));
  });
}

/** Each list is read separately, so that nothing urgent waits for all of them. */
function reportRoute(routes: FastifyInstance, parts: Parts<'settings' | 'reads' | 'now'>): void {
  const { reads, settings, now } = parts;
  register(routes, endpoints.shifts.report, async ({ request, read }) => {
    const query = read.query(request);
    const nowMs = now();
    const devices = selectionOf(request, query);
    const timeZone = await chosenZone(request, parts, devices, { timeZone: query.tz, path: '/tz' });
    const startMs = (toMs: number): number => shiftStartMs(toMs, timeZone, settings.shiftStartsMs);
    const { fromMs, toMs } = timeRangeOf(query, { startMs, mostMs: SHIFT_MS_MAX }, nowMs);
    const { limits, facility } = devices;
    const limit = SHIFT_ITEMS_MAX + 1;
    const jobs = { devices, fromMs, toMs, withUnfinished: toMs >= nowMs, limit };
    const alerts = { devices, severity: null, type: null, beforeId: null, limit };
    const ofTime = { limits, facility, deviceId: null, fromMs, toMs };
    const administered = limitsWith(await shownAccess(request.caller, reads(request)), 'admin');

    async function listed<Row, Item>(
      rows: Promise<readonly Row[]>,
      show: (row: Row) => Item,
    ): Promise<{ items: Item[]; has_more: boolean }> {
      const found = await rows;
      await nextPart(request);
      return { items: found.slice(0, SHIFT_ITEMS_MAX).map(show), has_more: found.length > SHIFT_ITEMS_MAX };
    }

    const report: ShiftReport = {
      from: toIso(fromMs),
      to: toIso(toMs),
      time_zone: timeZone,
      shift_starts: settings.shiftStartsMs.map((startMs) => toIso(startMs).slice(11, 16)),
      facility,
      operations: await listed(reads(request).shifts.operations(jobs), ({ state, ...device }) => ({
        ...deviceOfRecord(device),
        ...operationRecord(state),
      })),
      missions: await listed(reads(request).shifts.missions(jobs), ({ state, ...device }) => {
        const { waypoints: _, preflight: __, ...mission } = missionRecord(state);
        return { ...deviceOfRecord(device), ...mission };
      }),
      commands: await listed(reads(request).shifts.commands(jobs), ({ state, ...device }) => ({
        ...deviceOfRecord(device),
        ...commandRecord(state),
      })),
      raised_alerts: await listed(
        reads(request).alerts.raised({ devices, fromMs, toMs }, limit),
        (raised) => raised,
      ),
      open_alerts: await listed(
        reads(request).fleet.alerts({ ...alerts, filter: 'open' }),
        ({ state, ...device }) => fleetAlert(device, state),
      ),
      shelved_alerts: await listed(
        reads(request).fleet.alerts({ ...alerts, filter: 'shelved' }),
        ({ state, ...device }) => fleetAlert(device, state),
      ),
      notes: await listed(reads(request).shifts.notes({ ...ofTime, before: null, limit }), noteRecord),
      orders: await listed(
        reads(request).foresight.forecasts({
          devices,
          product: null,
          status: null,
          orderByBeforeMs: toMs + ORDERS_AHEAD_MS,
          sort: 'order_by',
          after: null,
          limit,
        }),
        ({ forecast, ...silo }) => forecastSummary(silo, forecast),
      ),
      changes:
        administered.length > 0
          ? await listed(
              reads(request).audit.list(
                { ...ofTime, limits: administered, keyId: null, actor: null, action: null, result: 'done' },
                null,
                limit,
              ),
              auditRecord,
            )
          : null,
    };
    return success(report);
  });
}

function positionOf(cursor: string): TimePosition {
  const [, atMs, no] = /^(\d{1,15})-(\d{1,15})$/.exec(cursor) ?? [];
  if (atMs === undefined) throw badCursor();
  return { atMs: Number(atMs), no: Number(no) };
}
