import {
  type BridgedDevice,
  type BridgeMapping,
  type BridgeReport,
  type BridgeResult,
  POINTS_MAX,
  type TestedPoint,
  UNIT_DIFFERS,
} from '@granary/contract/bridges';
import { toIso, toIsoOrNull } from '@granary/contract/time';
import type { AttachedDevice, DeviceHealth, Sample } from './drivers/driver.ts';
import type { Mapping } from './mapping/mapping.ts';
import { clipped } from './report.ts';
import { declarationsOf } from './site/declarations.ts';
import { channelsOf, type SiteFault } from './site/site-file.ts';
import { type OtherUnit, otherUnitText } from './uplink/declared-units.ts';
import type { Delivery } from './uplink/delivery.ts';
import type { Journal } from './uplink/journal.ts';

const FAILURE_POINTS_MAX = 100;

/** The result of a request, without its id. */
export type RequestOutcome = Omit<BridgeResult, 'request_id'>;

export const refused = (detail: string): RequestOutcome => ({
  failure: { code: 'refused', detail: clipped(detail) },
});

export const sampleResult = ({ roundTripMs, values }: Sample): RequestOutcome => ({
  failure: null,
  round_trip_ms: roundTripMs,
  points: values.slice(0, POINTS_MAX).map(
    ({ point, sensor, raw, value, unit, quality, reason }): TestedPoint => ({
      point: clipped(point, 200),
      sensor,
      raw: clipped(raw),
      value,
      unit: clipped(unit, 32),
      quality,
      reason,
    }),
  ),
});

export const mappingRecord = (mapping: Mapping): BridgeMapping => ({
  name: mapping.name,
  version: mapping.version,
  title: clipped(mapping.title, 200),
  protocol: mapping.protocol,
  source: clipped(mapping.source),
  profile: mapping.profile,
  evidence: mapping.evidence,
  channels: channelsOf(mapping),
  sensors: declarationsOf(mapping),
});

interface LoadedSite {
  readonly file: string;
  readonly loadedAtMs: number | null;
  readonly faults: readonly SiteFault[];
}

export const siteRecord = ({ file: siteFile, loadedAtMs, faults }: LoadedSite): BridgeReport['site'] => ({
  file: clipped(siteFile),
  loaded_at: toIsoOrNull(loadedAtMs),
  faults: faults.map(({ file, line, path, message }) => ({
    line,
    message: clipped(`${file === siteFile ? '' : `${file} `}${path} ${message}`),
  })),
});

/** Returns the state of the journal for a report; `status` is `undefined` before the journal is open. */
export const journalRecord = (
  status: ReturnType<Journal['status']> | undefined,
): BridgeReport['journal'] => ({
  readings: status?.readings ?? 0,
  bytes: status?.bytes ?? 0,
  oldest_at: toIsoOrNull(status?.oldestMs ?? null),
  dropped: status?.dropped ?? 0,
  fault: status?.fault == null ? null : clipped(status.fault),
  gaps: (status?.gaps ?? []).map(({ deviceId, fromMs, toMs, readings }) => ({
    device_id: deviceId,
    from: toIso(fromMs),
    to: toIso(toMs),
    readings,
  })),
});

interface DeviceFacts {
  /** The health of the device; `undefined` while no driver has the device. */
  readonly health: DeviceHealth | undefined;
  readonly session: ReturnType<Delivery['sessionOf']>;
  readonly otherUnits: readonly OtherUnit[] | undefined;
  readonly waiting: number;
  readonly nowMs: number;
  readonly loadedAtMs: number | null;
}

export const deviceRecord = (
  { id, mapping, endpoint, unit }: AttachedDevice,
  facts: DeviceFacts,
): BridgedDevice => {
  const { health, session, waiting } = facts;
  return {
    device_id: id,
    mapping: mapping.name,
    endpoint,
    unit,
    state: health?.state ?? 'waiting',
    connected: session?.isConnected ?? false,
    last_answer_at: toIsoOrNull(health?.lastAnswerMs ?? null),
    round_trip_ms: health?.roundTripMs ?? null,
    breaker: {
      open: health?.breaker.open ?? false,
      next_try_at: toIsoOrNull(health?.breaker.nextTryMs ?? null),
      failures: health?.breaker.failures ?? 0,
    },
    last_failure: lastFailureOf(facts),
    counters: {
      requests: health?.counters.requests ?? 0,
      failures: health?.counters.failures ?? 0,
      timeouts: health?.counters.timeouts ?? 0,
      skipped: health?.counters.skipped ?? 0,
      lateness_ms_max: Math.max(0, health?.counters.latenessMsMax ?? 0),
    },
    waiting,
  };
};

/** Returns the fault that prevents values from being stored, before any failure of the driver. */
function lastFailureOf({
  health,
  session,
  otherUnits,
  nowMs,
  loadedAtMs,
}: DeviceFacts): BridgedDevice['last_failure'] {
  const fault = session?.fault ?? null;
  if (fault !== null) return { code: 'not_connected', detail: clipped(fault), at: toIso(nowMs), points: [] };
  if (otherUnits !== undefined && health?.state !== 'silent')
    return {
      code: UNIT_DIFFERS,
      detail: clipped(otherUnitText(otherUnits)),
      at: toIso(loadedAtMs ?? nowMs),
      points: otherUnits.slice(0, FAILURE_POINTS_MAX).map(({ sensor }) => sensor),
    };
  const failure = health?.lastFailure ?? null;
  return (
    failure && {
      code: failure.code,
      detail: clipped(failure.detail),
      at: toIso(failure.atMs),
      points: failure.points.slice(0, FAILURE_POINTS_MAX).map((point) => clipped(point, 200)),
    }
  );
}
