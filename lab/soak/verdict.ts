import type { AlertCounts, StartCounts, StreamCounts } from './ledgers.ts';

const SLOWEST_SHOWN = 3;
export const REQUEST_MS_MAX = 5_000;
export const STOP_MS_MAX = 500;
export const STOP_DURING_FAULT_MS_MAX = 2_000;
export const RECOVERY_MS_MAX = 10_000;

/** A request as its caller saw it. */
export interface AnsweredRequest {
  readonly beganMs: number;
  readonly tookMs: number;
  /** `ok`, `refused` (a declared refusal), `unreachable` (the node does not run), or `failed`, which must not happen. */
  readonly outcome: 'ok' | 'refused' | 'unreachable' | 'failed';
  readonly detail: string;
}

/** A stop or an emergency stop; `atDeviceMs` is `null` if it never arrived. */
export interface TimedStop {
  readonly beganMs: number;
  readonly atDeviceMs: number | null;
  readonly detail: string;
}

/** The time from the injection of one fault until the site had recovered. */
export interface FaultWindow {
  readonly name: string;
  readonly beganMs: number;
  readonly endedMs: number;
  /** The longest recovery of the fault. */
  readonly recoveryMs: number;
}

export interface Phase {
  /** `null` for the phase without faults. */
  readonly fault: FaultWindow | null;
  readonly requests: readonly AnsweredRequest[];
  readonly stops: readonly TimedStop[];
}

/** Divides requests and stops by the fault during which they were begun; the phase without a fault is the first. */
export function divide(
  windows: readonly FaultWindow[],
  requests: readonly AnsweredRequest[],
  stops: readonly TimedStop[],
): Phase[] {
  const faultAt = (timeMs: number): FaultWindow | null =>
    windows.find(({ beganMs, endedMs }) => timeMs >= beganMs && timeMs <= endedMs) ?? null;
  return [null, ...windows].map((fault) => ({
    fault,
    requests: requests.filter(({ beganMs }) => faultAt(beganMs) === fault),
    stops: stops.filter(({ beganMs }) => faultAt(beganMs) === fault),
  }));
}

export const worstRequestMs = ({ requests }: Phase): number =>
  requests.reduce((worst, { tookMs }) => Math.max(worst, tookMs), 0);

/** Infinite if a stop did not arrive. */
export const worstStopMs = ({ stops }: Phase): number =>
  stops.reduce((worst, { atDeviceMs }) => Math.max(worst, atDeviceMs ?? Number.POSITIVE_INFINITY), 0);

/** The slowest requests and stops of a phase, as a help to find the reason. */
export function slowest({ requests, stops }: Phase): string[] {
  const timed = [
    ...requests.map(({ beganMs, tookMs, detail }) => ({ beganMs, tookMs, detail })),
    ...stops.map(({ beganMs, atDeviceMs, detail }) => ({
      beganMs,
      tookMs: atDeviceMs ?? Number.POSITIVE_INFINITY,
      detail: `stop at the device, ${detail}`,
    })),
  ];
  return timed
    .toSorted((a, b) => b.tookMs - a.tookMs)
    .slice(0, SLOWEST_SHOWN)
    .map(({ beganMs, tookMs, detail }) => {
      const at = new Date(beganMs).toISOString().slice(11, 23);
      return `${Math.round(tookMs)} ms at ${at}: ${detail}`;
    });
}

/** All results of a run. */
export interface Outcome {
  readonly phases: readonly Phase[];
  readonly readings: { readonly acknowledged: number; readonly lost: number };
  readonly operations: StartCounts;
  readonly missions: StartCounts & { readonly expected: number };
  readonly alerts: AlertCounts;
  readonly streams: readonly StreamCounts[];
  /** Other problems, such as a fault that could not be injected. */
  readonly troubles: readonly string[];
}

/** One sentence for each criterion that was not met. */
export function violations(outcome: Outcome): string[] {
  const { phases, readings, operations, missions, alerts, streams, troubles } = outcome;
  const found: string[] = [...troubles];
  const check = (isMet: boolean, text: string): void => {
    if (!isMet) found.push(text);
  };
  check(readings.acknowledged > 0, 'no reading was acknowledged');
  check(readings.lost === 0, `${readings.lost} acknowledged readings are not in the database`);
  check(operations.begun > 0, 'no operation was begun');
  check(operations.duplicated === 0, `${operations.duplicated} operations were begun twice`);
  check(missions.duplicated === 0, `${missions.duplicated} missions were begun twice`);
  const unbegun = missions.expected - missions.begun;
  check(unbegun <= 0, `${unbegun} of ${missions.expected} missions were not begun`);
  check(alerts.expected > 0, 'no alert was to be raised');
  check(alerts.duplicated === 0, `${alerts.duplicated} alerts were raised twice, or without a cause`);
  check(alerts.missing === 0, `${alerts.missing} alerts were not raised`);
  streams.forEach(({ missing, duplicated }, index) => {
    check(missing === 0, `${missing} events are missing on the stream of node ${index + 1}`);
    check(duplicated === 0, `${duplicated} events came twice on the stream of node ${index + 1}`);
  });
  for (const phase of phases) {
    const { fault, requests } = phase;
    const when = fault === null ? 'without a fault' : `during ${fault.name}`;
    const requestMs = worstRequestMs(phase);
    check(requestMs <= REQUEST_MS_MAX, `a request took ${Math.round(requestMs)} ms ${when}`);
    const failed = requests.filter(({ outcome: of }) => of === 'failed');
    check(failed.length === 0, `${failed.length} requests failed ${when}, such as ${failed[0]?.detail}`);
    const stopMs = worstStopMs(phase);
    const stopMsMax = fault === null ? STOP_MS_MAX : STOP_DURING_FAULT_MS_MAX;
    check(stopMs <= stopMsMax, `${shownStop(stopMs)} ${when}`);
    const recoveryMs = fault?.recoveryMs ?? 0;
    check(recoveryMs <= RECOVERY_MS_MAX, `recovery took ${Math.round(recoveryMs)} ms ${when}`);
  }
  return found;
}

const shownStop = (ms: number): string =>
  Number.isFinite(ms) ? `a stop was at the device after ${Math.round(ms)} ms` : 'a stop never arrived';
