import type { Registration } from '@granary/app/bulk/bulk';
import { CSV_TYPE, IMPORT_BYTES_MAX, IMPORT_SHOWN_MAX, IMPORTED_DEVICES_MAX } from '@granary/contract/bulk';
import { endpoints } from '@granary/contract/endpoints/endpoints';
import type { ValidationIssue } from '@granary/contract/input/schema';
import { issueOf } from '@granary/contract/input/validation-issues';
import { sentence } from '@granary/contract/sentences/codes';
import { FAULTS_LISTED_MAX, refuseFaults } from '@granary/core/bulk/change-devices';
import { type DeviceOfRow, readDevices } from '@granary/core/bulk/import-devices';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { hashSecret, newDeviceSecret } from '../process/keys/secrets.ts';
import { limitsOf } from './access/credentials.ts';
import { nextPart } from './access/request-turns.ts';
import { preferredType } from './protocol/accept.ts';
import { success } from './protocol/answers.ts';
import { acceptAlso } from './protocol/json-body.ts';
import { register, registerLong } from './register.ts';
import type { Reads } from './request-limit.ts';
import type { Parts } from './route-dependencies.ts';

/** The number of rows that are read, or of secrets that are made, before other requests have their turn. */
const ROWS_PER_TURN = 100;

/** The routes that register or change many devices at once. */
export function bulkRoutes(
  routes: FastifyInstance,
  parts: Parts<'reads' | 'link' | 'idempotency' | 'now'>,
): void {
  const { reads, idempotency, link, now } = parts;
  acceptAlso(routes, CSV_TYPE, async (csv) => ({ csv }));

  register(routes, endpoints.bulk.change, async (exchange) => {
    const { request, read } = exchange;
    const isDryRun = read.query(request).dry_run === 'true';
    const change = { ...read.body(request), isDryRun, nowMs: now() };
    const { result } = await idempotency.once(exchange, (slices) => slices.bulk.change(change));
    return success(result);
  });

  registerLong(
    routes,
    endpoints.bulk.importDevices,
    async (exchange) => {
      const { request, reply, read } = exchange;
      const isDryRun = read.query(request).dry_run === 'true';
      const { csv } = read.body(request);
      const found = await readFile(request, csv);
      const devices = found.length;
      const first = found.slice(0, IMPORT_SHOWN_MAX).map(({ device }) => device);
      if (isDryRun) {
        await refuseTakenIds(request, reads, found);
        return success({ dry_run: true, devices, first, credentials: [] });
      }
      const deviceIds = found.map(({ device }) => device.device_id);
      await link.access.readyToRegister(deviceIds, request.time);
      const fresh: string[] = [];
      const rows: Registration['rows'][number][] = [];
      for (const row of found) {
        if (rows.length % ROWS_PER_TURN === 0) await nextPart(request);
        const secret = newDeviceSecret();
        fresh.push(secret);
        rows.push({ ...row, secretHash: hashSecret(secret) });
      }
      const { secret } = await idempotency.onceWithSecret(exchange, fresh.join(' '), (slices) =>
        slices.bulk.register({ rows, nowMs: now() }),
      );
      const secrets = secret.split(' ');
      const issued = deviceIds.map((deviceId, at) => ({ deviceId, secret: secrets[at] ?? '' }));
      await link.access.give(issued, request.time);
      reply.header('vary', 'accept');
      if (preferredType(request.headers.accept, ['application/json', CSV_TYPE]) === CSV_TYPE) {
        const rows = issued.map(({ deviceId, secret }) => `${deviceId},${secret}\r\n`);
        return reply.type(`${CSV_TYPE}; charset=utf-8`).send(`username,secret\r\n${rows.join('')}`);
      }
      const credentials = issued.map(({ deviceId: username, secret }) => ({ username, secret }));
      return success({ dry_run: false, devices, first, credentials });
    },
    IMPORT_BYTES_MAX,
  );
}

/** The devices of the file, or a refusal with every fault of every row. Other requests are served in between. */
async function readFile(request: FastifyRequest, csv: string): Promise<DeviceOfRow[]> {
  const faults: ValidationIssue[] = [];
  const found: DeviceOfRow[] = [];
  let rows = 0;
  for (const read of readDevices(csv, limitsOf(request))) {
    if (++rows % ROWS_PER_TURN === 0) await nextPart(request);
    if ('device' in read) found.push(read);
    else faults.push(...read.faults);
    if (faults.length >= FAULTS_LISTED_MAX || rows > IMPORTED_DEVICES_MAX) break;
  }
  if (rows > IMPORTED_DEVICES_MAX) {
    const counts = { limit: IMPORTED_DEVICES_MAX, count: rows };
    faults.unshift(issueOf('/rows', sentence('must_have_fewer_items', counts)));
  }
  if (rows === 0) faults.push(issueOf('/rows', sentence('must_have_an_item')));
  refuseFaults('the file cannot be imported', faults);
  return found;
}

async function refuseTakenIds(
  request: FastifyRequest,
  reads: Reads,
  found: readonly DeviceOfRow[],
): Promise<void> {
  const faults: ValidationIssue[] = [];
  for (let start = 0; start < found.length; start += ROWS_PER_TURN) {
    await nextPart(request);
    faults.push(...(await reads(request).bulk.takenIds(found.slice(start, start + ROWS_PER_TURN))));
  }
  refuseFaults('the file cannot be imported', faults);
}
