import type { Actor } from '@granary/contract/audit';
import type { Finding as FindingRecord, FindingType } from '@granary/contract/foresight/findings';
import type {
  ForecastChange,
  Forecast as ForecastRecord,
  ForecastSummary,
} from '@granary/contract/foresight/forecasts';
import type { Refill as RefillRecord } from '@granary/contract/foresight/refills';
import { inEnglish, reasonOf } from '@granary/contract/sentences/english';
import type { FindingSentence } from '@granary/contract/sentences/foresight';
import { HOUR_MS, toIso, toIsoOrNull } from '@granary/contract/time';
import type { EmptyTimes, Forecast, ForecastStatus, PathPoint, Refill } from './types.ts';

/** An event is published for a forecast that has moved by more than this. */
const MOVED_MS = 6 * HOUR_MS;

/** A first forecast with one of these statuses publishes no event. */
const SAYS_NOTHING: ReadonlySet<ForecastStatus> = new Set<ForecastStatus>(['learning', 'stale']);

const kilograms = (kg: number): number => Math.round(kg * 1_000) / 1_000;
const kilogramsOrNull = (kg: number | null): number | null => (kg === null ? null : kilograms(kg));
const tenths = (value: number): number => Math.round(value * 10) / 10;

type Common = Omit<ForecastRecord, 'path' | 'path_with_deliveries'>;

const emptyRecord = (empty: EmptyTimes | null): ForecastRecord['empty'] =>
  empty && {
    p10: toIsoOrNull(empty.p10Ms),
    p50: toIsoOrNull(empty.p50Ms),
    p90: toIsoOrNull(empty.p90Ms),
  };

/** The fields of a forecast without the paths. */
function forecastFields(forecast: Forecast): Common {
  const { use, empty, withDeliveries, suggestion, score } = forecast;
  return {
    status: forecast.status,
    made_at: toIso(forecast.madeAtMs),
    time_zone: forecast.timeZone,
    level_kg: kilogramsOrNull(forecast.levelKg),
    usable_kg: kilogramsOrNull(forecast.usableKg),
    use: use && {
      kg_per_day: tenths(use.kgPerDay),
      change_percent: use.changePercent === null ? null : tenths(use.changePercent),
    },
    empty: emptyRecord(empty),
    with_deliveries: withDeliveries && {
      deliveries: withDeliveries.deliveries.map(({ atMs, kg, fitsKg, fitsFromMs }) => ({
        at: toIso(atMs),
        kg: kilograms(kg),
        fits_kg: kilograms(fitsKg),
        fits_from: toIsoOrNull(fitsFromMs),
      })),
      empty: emptyRecord(withDeliveries.empty),
    },
    order_by: toIsoOrNull(forecast.orderByMs),
    suggestion: suggestion && {
      kg: kilograms(suggestion.kg),
      fits_from: toIso(suggestion.fitsFromMs),
      fits_now_kg: kilograms(suggestion.fitsNowKg),
      deliver_between: { from: toIso(suggestion.deliverFromMs), to: toIso(suggestion.deliverToMs) },
    },
    reasons: forecast.reasons.map(reasonOf),
    score: score && {
      horizon_days: score.horizonDays,
      forecasts: score.forecasts,
      mean_error_h: tenths(score.meanErrorH),
      inside_percent: tenths(score.insidePercent),
    },
  };
}

export const forecastRecord = (forecast: Forecast): ForecastRecord => ({
  ...forecastFields(forecast),
  path: forecast.path.map(pathRecord),
  path_with_deliveries: (forecast.withDeliveries?.path ?? []).map(pathRecord),
});

const pathRecord = ({ atMs, p10, p25, p50, p75, p90 }: PathPoint): ForecastRecord['path'][number] => ({
  at: toIso(atMs),
  p10: tenths(p10),
  p25: tenths(p25),
  p50: tenths(p50),
  p75: tenths(p75),
  p90: tenths(p90),
});

interface ForecastSilo {
  readonly deviceId: string;
  readonly name: string;
  readonly facility: string;
  readonly zone: string;
  readonly product: string | null;
  readonly bushelKg: number | null;
  readonly capacityKg: number;
}

export const forecastSummary = (silo: ForecastSilo, forecast: Forecast): ForecastSummary => ({
  device_id: silo.deviceId,
  name: silo.name,
  location: { facility: silo.facility, zone: silo.zone },
  product: silo.product,
  bushel_kg: silo.bushelKg,
  capacity_kg: silo.capacityKg,
  ...forecastFields(forecast),
});

/** The event of a new forecast; `null` if the forecast is almost the same as the one before. */
export function forecastChange(
  deviceId: string,
  before: Forecast | null,
  after: Forecast,
): ForecastChange | null {
  const [wasMs, isMs] = [before?.empty?.p50Ms ?? null, after.empty?.p50Ms ?? null];
  const hasMoved = wasMs === null || isMs === null ? wasMs !== isMs : Math.abs(isMs - wasMs) > MOVED_MS;
  const wasSilent = before === null && SAYS_NOTHING.has(after.status);
  if (wasSilent || (before?.status === after.status && !hasMoved)) return null;
  const { status, made_at, level_kg, empty, order_by, suggestion } = forecastFields(after);
  return {
    device_id: deviceId,
    previous_status: before?.status ?? null,
    status,
    made_at,
    level_kg,
    empty,
    order_by,
    suggestion,
  };
}

export interface StoredRefill extends Omit<Refill, 'inGap'> {
  readonly refillId: string;
  readonly deviceId: string;
  readonly beforeKg: number | null;
  readonly afterKg: number | null;
  readonly deliveryNoteKg: number | null;
  readonly product: string | null;
  readonly isRefill: boolean;
  readonly changedAtMs: number | null;
  readonly changedBy: Actor | null;
}

export const refillRecord = (refill: StoredRefill): RefillRecord => ({
  refill_id: refill.refillId,
  device_id: refill.deviceId,
  began_at: toIso(refill.fromMs),
  ended_at: toIso(refill.toMs),
  source: refill.source === 'operation' ? 'operation' : 'weight',
  kg: kilograms(refill.kg),
  before_kg: kilogramsOrNull(refill.beforeKg),
  after_kg: kilogramsOrNull(refill.afterKg),
  operation_id: refill.operationId,
  delivery_note_kg: refill.deliveryNoteKg,
  product: refill.product,
  is_refill: refill.isRefill,
  changed_at: toIsoOrNull(refill.changedAtMs),
  changed_by: refill.changedBy,
});

/** The result of one examination of a silo. */
export type SiloFinding = FindingSentence & {
  readonly type: FindingType;
  /** Empty if the finding is not about one sensor. */
  readonly sensorId: string;
  readonly severity: 'info' | 'warning' | 'critical' | null;
  readonly fromMs: number;
  readonly toMs: number;
  readonly limit: number | null;
};

export const findingRecord = (
  { deviceId, name, sinceMs }: { readonly deviceId: string; readonly name: string; readonly sinceMs: number },
  finding: SiloFinding,
): FindingRecord => ({
  device_id: deviceId,
  name,
  type: finding.type,
  sensor_id: finding.sensorId === '' ? null : finding.sensorId,
  result: finding.result,
  severity: finding.severity,
  since: toIso(sinceMs),
  checked_at: toIso(finding.toMs),
  code: finding.code,
  text: inEnglish(finding),
  evidence: {
    from: toIso(finding.fromMs),
    to: toIso(finding.toMs),
    values: { ...finding.values },
    limit: finding.limit,
  },
});
