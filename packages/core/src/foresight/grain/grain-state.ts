import type { GrainState } from '@granary/contract/foresight/findings';
import type { SiloUse } from '@granary/contract/foresight/silo-use';
import { sentence } from '@granary/contract/sentences/codes';
import { reasonOf } from '@granary/contract/sentences/english';
import { toIso } from '@granary/contract/time';
import type { AerationAction, AerationAdvice, AerationWindow } from './aeration.ts';
import type { CableResult } from './hot-spots.ts';
import type { StorageLife } from './storage-time.ts';

/** What is known of the grain in a silo. */
export interface GrainFacts {
  readonly cable: CableResult;
  readonly temperatureC: number | null;
  readonly equilibriumPercent: number | null;
  readonly moisturePercent: number | null;
  readonly storage: (StorageLife & { readonly sinceMs: number }) | null;
  readonly aeration: AerationAdvice | null;
  readonly toMs: number;
}

export interface GrainRead extends GrainFacts {
  readonly use: SiloUse;
}

const tenths = (value: number): number => Math.round(value * 10) / 10;
const tenthsOrNull = (value: number | null): number | null => (value === null ? null : tenths(value));

function airReason(action: AerationAction, air: AerationWindow['values']) {
  const values = {
    outside_c: tenths(air.outsideC),
    grain_c: tenths(air.grainC),
    equilibrium_percent: tenths(air.equilibriumPercent),
  };
  return reasonOf(action === 'cool' ? sentence('air_cools', values) : sentence('air_dries', values));
}

const NO_GRAIN = reasonOf(sentence('no_grain'));

/** The state of the grain for callers; `grain` is `null` if no grain is stored and no cable is declared. */
export function grainState(grain: GrainRead | null, nowMs: number): GrainState {
  if (grain === null) {
    return {
      made_at: toIso(nowMs),
      grain: null,
      model: null,
      temperature_c: null,
      moisture_percent: null,
      equilibrium_moisture_percent: null,
      storage: null,
      cable_status: 'no_data',
      points: [],
      moisture_migrates: false,
      aeration: null,
      reasons: [NO_GRAIN],
    };
  }
  const { cable, storage, aeration, use } = grain;
  const name = use.product?.grain ?? null;
  return {
    made_at: toIso(nowMs),
    grain: name,
    model: name === null ? null : 'Modified Henderson (ASAE D245)',
    temperature_c: tenthsOrNull(grain.temperatureC),
    moisture_percent: tenthsOrNull(grain.moisturePercent),
    equilibrium_moisture_percent: tenthsOrNull(grain.equilibriumPercent),
    storage: storage && {
      used_percent: Math.round(1_000 * storage.usedShare) / 10,
      remaining_days: Math.round(storage.remainingDays),
      since: toIso(storage.sinceMs),
    },
    cable_status: cable.status,
    points: cable.points.map((point) => ({
      sensor_id: point.id,
      cable: point.cable,
      point: point.point,
      height_m: point.heightM,
      state: point.state,
      temperature_c: tenthsOrNull(point.temperatureC),
      warmer_by_c: tenthsOrNull(point.aboveNeighboursC),
      slope_c_per_day: point.slopeCPerDay === null ? null : Math.round(point.slopeCPerDay * 100) / 100,
      severity: point.severity,
    })),
    moisture_migrates: cable.isMoistureMigrating,
    aeration: aeration && {
      weather: aeration.source,
      windows: aeration.windows.map(({ fromMs, toMs, action, values }) => ({
        from: toIso(fromMs),
        to: toIso(toMs),
        action,
        reason: airReason(action, values),
      })),
      reason: aeration.obstacle === null ? null : reasonOf(sentence(aeration.obstacle)),
      target_moisture_percent: aeration.targetPercent,
      fan_heat_c: aeration.fanHeatC,
      front_hours: Math.round(aeration.frontHours),
    },
    reasons: name === null ? [NO_GRAIN] : [],
  };
}
