import { newId } from '@granary/app/ids';
import type { TimePosition } from '@granary/app/shifts/shift-rows';
import { endpoints } from '@granary/contract/endpoints/endpoints';
import { Refusal } from '@granary/contract/errors';
import { issueOf } from '@granary/contract/input/validation-issues';
import { sentence } from '@granary/contract/sentences/english';
import { checkedTimeMs, DAY_MS } from '@granary/contract/time';
import { refuseRemoved } from '@granary/core/fleet/removal';
import { canAccess, hasFacility } from '@granary/core/keys';
import { canSeeNote, noteRecord } from '@granary/core/shifts';
import { quoted } from '@granary/core/words';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { creates } from './audit/attempt.ts';
import { limitsOf } from './fleet/selection.ts';
import { badCursor, pageOf, readPage, success } from './protocol/answers.ts';
import { register } from './register.ts';
import type { RouteDependencies } from './route-dependencies.ts';

/** A note about a later time is a wrong date. */
const NOTED_AHEAD_MS = 366 * DAY_MS;

export function shiftRoutes(routes: FastifyInstance, parts: RouteDependencies): void {
  const { app, changes, directory, idempotency, now } = parts;

  register(routes, endpoints.shifts.notes, async (request, _reply, read) => {
    const { device_id: deviceId = null, facility = null, from, to, ...asked } = read.query(request);
    const filter = {
      limits: limitsOf(request),
      deviceId,
      facility,
      fromMs: from === undefined ? null : checkedTimeMs(from),
      toMs: to === undefined ? null : checkedTimeMs(to),
    };
    const notesBefore = (cursor: string | null, limit: number) =>
      app.shifts.notes({ ...filter, before: cursor === null ? null : positionOf(cursor), limit });
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
    { caller }: FastifyRequest,
    place: { readonly device_id?: string; readonly facility?: string },
  ): Promise<number | null> {
    const { device_id: deviceId, facility = '' } = place;
    if (deviceId === undefined) {
      if (hasFacility(caller, facility)) return null;
      throw new Refusal('forbidden', `this key may not write about the facility ${quoted(facility)}`);
    }
    const device = await directory.find(deviceId);
    if (device === undefined || !canAccess(caller, device)) {
      throw new Refusal(
        'device_not_found',
        `there is no device ${quoted(deviceId)}, or this key may not see it`,
      );
    }
    refuseRemoved(device);
    return device.deviceNo;
  }

  register(routes, endpoints.shifts.addNote, async (request, reply, read) => {
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
    creates(request, noteId);
    const { result } = await idempotency.once(request, reply, (slices) =>
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

  register(routes, endpoints.shifts.removeNote, async (request) => {
    const { note_id: noteId } = request.params;
    const { caller } = request;
    const note = await app.shifts.note(noteId);
    if (note === undefined || !canSeeNote(caller, note)) {
      throw new Refusal('note_not_found', `there is no note ${quoted(noteId)}, or this key may not see it`);
    }
    if (note.createdBy?.key_id !== caller.keyId && !caller.scopes.includes('admin')) {
      throw new Refusal('forbidden', 'only the key that wrote a note, or an admin, may remove it');
    }
    return success(noteRecord(await changes(request).shifts.removeNote({ noteId, nowMs: now() })));
  });
}

function positionOf(cursor: string): TimePosition {
  const [, atMs, no] = /^(\d{1,15})-(\d{1,15})$/.exec(cursor) ?? [];
  if (atMs === undefined) throw badCursor();
  return { atMs: Number(atMs), no: Number(no) };
}
