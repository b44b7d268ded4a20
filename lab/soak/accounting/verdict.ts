import type { AlertCounts } from './alert-ledger.ts';
import { type Phase, worstRequestMs, worstStopMs } from './phases.ts';
import type { StartCounts } from './start-ledger.ts';
import type { StreamCounts } from './stream-ledger.ts';

export const REQUEST_MS_MAX = 5_000;
export const STOP_MS_MAX = 500;
export const STOP_DURING_FAULT_MS_MAX = 2_000;
export const RECOVERY_MS_MAX = 10_000;

/** What a run has found, all of it. */
export interface Outcome {
  readonly phases: readonly Phase[];
  readonly readings: { readonly acknowledged: number; readonly lost: number };
  readonly operations: StartCounts;
  readonly missions: StartCounts & { readonly expected: number };
  readonly alerts: AlertCounts;
  readonly streams: readonly StreamCounts[];
  /** What else went wrong, such as a fault that could not be injected. */
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
