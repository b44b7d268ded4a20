import type { MissionRequestKind, MissionResult, MissionStatus } from '@granary/contract/missions';
import type { MissionState } from './mission-state.ts';

export type MissionSend = 'upload' | 'start' | MissionRequestKind | 'report';

/** What a mission has become, and what to send to its device. */
export interface MissionAdvance {
  readonly mission: MissionState;
  readonly send: MissionSend | null;
}

export const quiet = (mission: MissionState): MissionAdvance => ({ mission, send: null });

export const request = (mission: MissionState, kind: MissionRequestKind, nowMs: number): MissionAdvance => ({
  mission: { ...mission, requested: kind, requestSentAtMs: nowMs },
  send: kind,
});

export function end(
  mission: MissionState,
  status: MissionStatus,
  result: MissionResult | null,
  nowMs: number,
): MissionState {
  return { ...mission, status, requested: null, linkLostAtMs: null, endedAtMs: nowMs, result };
}

export const CANCELLED: MissionResult = { reason: 'cancelled', message: 'it was cancelled' };
export const NOT_STARTED: MissionResult = { reason: 'not_started', message: 'it could not begin in time' };
export const FORGOTTEN: MissionResult = {
  reason: 'forgotten',
  message: 'the device no longer knows how far it came',
};
export const LOST: MissionResult = { reason: 'lost', message: 'the device was not heard of again' };

/** It runs, or nobody knows that it does not. */
export const mayRun = ({ status, startSentAtMs }: MissionState): boolean =>
  status === 'in_progress' || status === 'paused' || startSentAtMs !== null;
