import { HOUR_MS, MINUTE_MS } from '@granary/contract/time';
import { noiseOf, rounded } from '../robust.ts';
import { median, quantile } from '../statistics.ts';
import type { LevelReading } from '../types.ts';
import type { Finding } from './finding.ts';

/**
 * During an operation, too little flow is less than a fifth of its rate for ten minutes, or for as long as the scale needs
 * to show the rate.
 */
const RUN_MS_MIN = 10 * MINUTE_MS;
const RUN_SHARE = 0.2;
const RUN_DEVIATIONS = 5;

/** Without an operation, too little flow is less than a quarter of what even a weak day uses, in hours in which material is usually used. */
const WINDOWS_H = [2, 3, 4, 6] as const;
const USE_SHARE = 0.25;
const HOUR_SHARE_MIN = 0.04;
const WEAK_DAY_QUANTILE = 0.1;
const USE_DEVIATIONS = 4;
/** The sun heats load cells and changes the weight by this share; clouds decide by how much. */
const SUN_OF_CAPACITY = 0.001;
const LEVEL_OF_CAPACITY_MIN = 0.05;
const LEVEL_MS = 30 * MINUTE_MS;
const FRESH_MS = 20 * MINUTE_MS;
const DAYS_MIN = 7;
/** Only this many days are examined, because animals grow and their use changes. */
export const NO_FLOW_DAYS = 14;
const WEEK_DAYS = 7;
const DAY_HOURS = 24;
/** A day with less than this share of the usual use is a day of rest. */
const REST_SHARE = 0.3;
/** The step in which the hours of a window are counted. */
const STEP_MS = 15 * MINUTE_MS;

/** Bridged material that comes loose falls by this share of the capacity within minutes. */
const COLLAPSE_OF_CAPACITY = 0.02;
const COLLAPSE_MS = 10 * MINUTE_MS;

export interface PastDay {
  readonly day: number;
  readonly kg: number;
  /** The share of each of 24 local hours; `null` if that is not known. */
  readonly shares: readonly number[] | null;
}

export interface NoFlowInput {
  readonly nowMs: number;
  readonly capacityKg: number;
  /** The readings of the last seven hours, ordered by time. */
  readonly readings: readonly LevelReading[];
  /** The operation or auger that runs. */
  readonly running: { readonly fromMs: number; readonly kgPerMinute: number } | null;
  /** Refills and operations of the last seven hours. */
  readonly movements: readonly { readonly fromMs: number; readonly toMs: number }[];
  /** The last `NO_FLOW_DAYS` days or more. */
  readonly past: readonly PastDay[];
  readonly today: number;
  /** Hours since the local day of a time began, 0 to 24. */
  readonly hourAt: (ms: number) => number;
  /** `false` if it is known that the animals are not there, or are leaving now. */
  readonly isInUse: boolean;
  /** Whether the previous examination found that the use has stopped. */
  readonly hadStopped: boolean;
}

/** Finds a blocked outlet: material should flow, and the weight stays the same. */
export function noFlow(input: NoFlowInput): Finding {
  if (input.running !== null) return whileRunning(input, input.running);
  const past = input.past.filter(({ day }) => day < input.today && day >= input.today - NO_FLOW_DAYS);
  return withoutOperation({ ...input, past });
}

type Running = NonNullable<NoFlowInput['running']>;

function whileRunning({ nowMs, readings }: NoFlowInput, { fromMs, kgPerMinute }: Running): Finding {
  const noise = noiseOf(readings.flatMap(({ atMs, kg }) => (atMs <= fromMs ? [kg] : [])));
  const neededMs =
    kgPerMinute > 0 ? ((RUN_DEVIATIONS * noise) / kgPerMinute) * MINUTE_MS : Number.POSITIVE_INFINITY;
  const beganMs = Math.max(fromMs, nowMs - Math.max(RUN_MS_MIN, neededMs));
  const before = levelAt(readings, beganMs, RUN_MS_MIN);
  const now = levelAt(readings, nowMs, RUN_MS_MIN);
  const minutes = (nowMs - beganMs) / MINUTE_MS;
  const found = { type: 'no_flow', fromMs: beganMs, toMs: nowMs } as const;
  if (before === null || now === null || nowMs - beganMs < Math.max(RUN_MS_MIN, neededMs)) {
    return {
      ...found,
      result: 'inconclusive',
      code: 'runs_too_short',
      severity: null,
      values: { minutes: rounded(minutes, 1) },
      limit: null,
    };
  }
  const limitKg = RUN_SHARE * kgPerMinute * minutes;
  const values = {
    moved_kg: rounded(Math.abs(now - before), 1),
    expected_kg: rounded(kgPerMinute * minutes, 1),
    minutes: rounded(minutes, 1),
  };
  const judged = { ...found, values, limit: rounded(limitKg, 1) };
  return Math.abs(now - before) < limitKg
    ? { ...judged, result: 'fail', code: 'operation_moves_nothing', severity: 'critical' }
    : { ...judged, result: 'pass', code: 'flows', severity: null };
}

type Unknown =
  | 'no_weights'
  | 'nearly_empty'
  | 'no_use_expected'
  | 'other_movement'
  | 'too_few_days'
  | 'use_too_small';

function withoutOperation(input: NoFlowInput): Finding {
  const { nowMs, capacityKg, readings, movements } = input;
  const nothing = {
    type: 'no_flow',
    severity: null,
    fromMs: nowMs - WINDOWS_H[0] * HOUR_MS,
    toMs: nowMs,
    values: {},
    limit: null,
  } as const;
  const unknown = (code: Unknown): Finding => ({ ...nothing, result: 'inconclusive', code });
  const now = levelAt(readings, nowMs, LEVEL_MS);
  if (now === null || nowMs - (readings.at(-1)?.atMs ?? 0) > FRESH_MS) return unknown('no_weights');
  if (now < LEVEL_OF_CAPACITY_MIN * capacityKg) return unknown('nearly_empty');
  const collapsed = collapse(input);
  if (collapsed !== null) return collapsed;
  if (!input.isInUse || isRestDay(input)) return unknown('no_use_expected');
  const noise = noiseOf(readings.map(({ kg }) => kg)) / 2;
  const usual = usualHours(input);
  let isSeen = false;
  for (const hours of WINDOWS_H) {
    const fromMs = nowMs - hours * HOUR_MS;
    const before = levelAt(readings, fromMs, LEVEL_MS);
    const weakKg = usual === null ? null : weakDayUse(usual, fromMs, nowMs);
    const deviation = Math.SQRT2 * Math.hypot(noise, SUN_OF_CAPACITY * capacityKg);
    if (before === null || weakKg === null || weakKg < USE_DEVIATIONS * deviation) continue;
    if (movements.some((one) => one.toMs >= fromMs - LEVEL_MS && one.fromMs <= nowMs))
      return unknown('other_movement');
    isSeen = true;
    const usedKg = before - now;
    const limitKg = USE_SHARE * weakKg;
    const values = { used_kg: rounded(usedKg, 1), expected_at_least_kg: rounded(weakKg, 1), hours };
    if (usedKg < limitKg) {
      return {
        type: 'no_flow',
        result: 'fail',
        code: 'use_has_stopped',
        severity: 'warning',
        fromMs,
        toMs: nowMs,
        values,
        limit: rounded(limitKg, 1),
      };
    }
  }
  return isSeen
    ? { ...nothing, result: 'pass', code: 'flows' }
    : unknown(input.past.length < DAYS_MIN ? 'too_few_days' : 'use_too_small');
}

/** The median of the weights just before a time. */
function levelAt(readings: readonly LevelReading[], ms: number, lengthMs: number): number | null {
  return median(readings.filter(({ atMs }) => atMs > ms - lengthMs && atMs <= ms).map(({ kg }) => kg));
}

const workingDays = (past: readonly PastDay[]): readonly PastDay[] => {
  const usual = median(past.map(({ kg }) => kg)) ?? 0;
  return past.filter(({ kg }) => kg > 0 && kg >= REST_SHARE * usual);
};

/** Whether today is a weekday with little use in the last weeks, such as a Sunday in a mill; one day of rest alone may be a holiday. */
function isRestDay({ past, today }: NoFlowInput): boolean {
  const working = new Set(workingDays(past).map(({ day }) => day));
  const sameWeekday = past.filter(({ day }) => (today - day) % WEEK_DAYS === 0);
  if (sameWeekday.length === 0) return working.size < past.length;
  return sameWeekday.every(({ day }) => !working.has(day));
}

/** What a weak day of the last days used in the same hours; `null` if little is usually used in an hour of the window. */
function weakDayUse({ days, usual, hourAt }: UsualHours, fromMs: number, toMs: number): number | null {
  const parts = new Array<number>(DAY_HOURS).fill(0);
  for (let ms = fromMs; ms < toMs; ms += STEP_MS) {
    const hour = Math.min(DAY_HOURS - 1, Math.max(0, Math.floor(hourAt(ms)) || 0));
    if ((usual[hour] ?? 0) < HOUR_SHARE_MIN) return null;
    parts[hour] = (parts[hour] ?? 0) + STEP_MS / HOUR_MS;
  }
  const uses = days.map(({ kg, shares }) =>
    parts.reduce((sum, part, hour) => (part === 0 ? sum : sum + kg * (shares[hour] ?? 0) * part), 0),
  );
  return quantile(uses, WEAK_DAY_QUANTILE);
}

interface UsualHours {
  readonly days: readonly { readonly kg: number; readonly shares: readonly number[] }[];
  /** The median share of each hour. */
  readonly usual: readonly number[];
  readonly hourAt: NoFlowInput['hourAt'];
}

/** `null` if too few days are known. */
function usualHours({ past, hourAt }: NoFlowInput): UsualHours | null {
  const days = workingDays(past).flatMap(({ kg, shares }) => (shares === null ? [] : [{ kg, shares }]));
  if (days.length < DAYS_MIN) return null;
  const usual = Array.from(
    { length: DAY_HOURS },
    (_, hour) => median(days.map(({ shares }) => shares[hour] ?? 0)) ?? 0,
  );
  return { days, usual, hourAt };
}

/** A fall of more than 2 % within minutes confirms that material had bridged; if the flow had not stopped before, it may be a batch. */
function collapse({ nowMs, capacityKg, readings, movements, hadStopped }: NoFlowInput): Finding | null {
  if (!hadStopped) return null;
  const now = levelAt(readings, nowMs, COLLAPSE_MS);
  const before = levelAt(readings, nowMs - 2 * COLLAPSE_MS, COLLAPSE_MS);
  const fromMs = nowMs - 2 * COLLAPSE_MS;
  if (now === null || before === null) return null;
  if (movements.some((one) => one.toMs >= fromMs && one.fromMs <= nowMs)) return null;
  const limitKg = COLLAPSE_OF_CAPACITY * capacityKg;
  if (before - now < limitKg) return null;
  const values = {
    fallen_kg: rounded(before - now, 1),
    fallen_percent: rounded((100 * (before - now)) / capacityKg, 2),
  };
  return {
    type: 'no_flow',
    result: 'fail',
    code: 'material_has_fallen',
    severity: 'warning',
    fromMs,
    toMs: nowMs,
    values,
    limit: rounded(limitKg, 1),
  };
}
