import type { DeviceSelection } from '@granary/app/conditions';
import type { DeviceOfRow } from '@granary/app/list-rows';
import { siteZone } from '@granary/common/site-zone';
import { isTimeZone } from '@granary/common/time-zone';
import { wantedLabels } from '@granary/contract/devices/label-match';
import { Refusal } from '@granary/contract/errors';
import { issueOf } from '@granary/contract/input/validation-issues';
import { sentence } from '@granary/contract/sentences/codes';
import { checkedTimeMs } from '@granary/contract/time';
import type { FastifyRequest } from 'fastify';
import { limitsOf } from '../access/credentials.ts';
import type { Parts } from '../route-dependencies.ts';

interface SelectionQuery {
  readonly facility?: string;
  readonly zone?: string;
  readonly device_id?: string;
  readonly label?: string;
}

/** The devices that the query asks for and that the key may access. */
export const selectionOf = (request: FastifyRequest, query: SelectionQuery): DeviceSelection => ({
  limits: limitsOf(request),
  facility: query.facility ?? null,
  zone: query.zone ?? null,
  deviceId: query.device_id ?? null,
  labels: wantedLabels(query.label),
});

/** The time zone in which the answer about the selected devices is given; when their silos name several zones, the caller has to choose one. */
export async function chosenZone(
  request: FastifyRequest,
  { reads, settings }: Parts<'reads' | 'settings'>,
  devices: DeviceSelection,
  asked: { readonly timeZone: string | undefined; readonly path: string },
): Promise<string> {
  const refuse = (fault: Parameters<typeof issueOf>[1]): Refusal =>
    new Refusal('invalid_input', 'the time zone is not valid', [issueOf(asked.path, fault)]);
  if (asked.timeZone !== undefined) {
    if (isTimeZone(asked.timeZone)) return asked.timeZone;
    throw refuse(sentence('must_be', { what: [sentence('time_zone_name')] }));
  }
  const named = (await reads(request).fleet.timeZones(devices)).map(({ timeZone }) => timeZone);
  const zone = siteZone(named, settings.timeZone);
  if (zone !== null) return zone;
  throw refuse(sentence('must_be_one_of_zones', { zones: [...new Set(named)].sort().join(', ') }));
}

/** The device of a record in a list of all devices. */
export const deviceOfRecord = ({ deviceId, deviceName, facility, zone }: DeviceOfRow) => ({
  device_id: deviceId,
  device_name: deviceName,
  location: { facility, zone },
});

/** The period of a summary: until now, from the usual beginning on, unless the query says otherwise. */
export function timeRangeOf(
  { from, to }: { readonly from?: string; readonly to?: string },
  { startMs, mostMs }: { readonly startMs: (toMs: number) => number; readonly mostMs: number },
  nowMs: number,
): { readonly fromMs: number; readonly toMs: number } {
  const toMs = to === undefined ? nowMs : checkedTimeMs(to);
  const fromMs = from === undefined ? startMs(toMs) : checkedTimeMs(from);
  const fault = fromMs >= toMs ? 'must_be_before_to' : 'is_out_of_range';
  if (fromMs >= 0 && fromMs < toMs && toMs - fromMs <= mostMs) return { fromMs, toMs };
  throw new Refusal('invalid_input', 'the time is not valid', [issueOf('/from', sentence(fault))]);
}
