/** A request as its caller saw it. */
export interface AnsweredRequest {
  readonly beganMs: number;
  readonly tookMs: number;
  /** `ok`, `refused` (a declared refusal), `unreachable` (the node is not there) or what must not happen. */
  readonly outcome: 'ok' | 'refused' | 'unreachable' | 'failed';
  readonly detail: string;
}

/** A stop or an emergency stop; `atDeviceMs` is null when it never arrived. */
export interface TimedStop {
  readonly beganMs: number;
  readonly atDeviceMs: number | null;
  readonly detail: string;
}

/** The time in which one fault was injected, until the site had recovered. */
export interface FaultWindow {
  readonly name: string;
  readonly beganMs: number;
  readonly endedMs: number;
  /** The longest of its recoveries. */
  readonly recoveryMs: number;
}

export interface Phase {
  /** `null` outside all faults. */
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

/** Infinite when a stop did not arrive. */
export const worstStopMs = ({ stops }: Phase): number =>
  stops.reduce((worst, { atDeviceMs }) => Math.max(worst, atDeviceMs ?? Number.POSITIVE_INFINITY), 0);

const SLOWEST_SHOWN = 3;

/** The slowest requests and stops of a phase, for whoever looks for the reason. */
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
