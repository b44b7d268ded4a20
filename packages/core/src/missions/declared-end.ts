import { Refusal } from '@granary/contract/errors';
import { sentence } from '@granary/contract/sentences/codes';
import type { RefusalMessage } from '@granary/contract/sentences/refusals';
import { toIso } from '@granary/contract/time';
import { type DeclarationInput, declaredEnd, declaredEndMessage } from '../jobs/declared-end.ts';
import { EXPIRY_SKEW_MS, MOTION_EXPIRY_MS } from '../jobs/polling.ts';
import { isMissionOver, type MissionState } from './state.ts';
import { end, HALT_CONFIRMATION_MS_MAX, possiblyRunning } from './steps.ts';

interface Situation {
  /** The device has a live MQTT session that is subscribed to its commands. */
  readonly isReachable: boolean;
  readonly nowMs: number;
}

/** A person declared the mission ended, and the device has not reported since. */
const isEndDeclared = ({ result }: MissionState): boolean => result?.reason === 'declared_ended';

/** Refuses the declaration of a mission whose outcome is known, or about which something can be done first. */
export function refuseDeclaration(mission: MissionState, situation: Situation): void {
  const why = isEndDeclared(mission) ? null : whyNotDeclarable(mission, situation);
  if (why !== null) throw new Refusal('cannot_declare_ended', why);
}

/** A declaration that is refused changes nothing. */
export function declareEnded(
  mission: MissionState,
  declaration: DeclarationInput,
  situation: Situation,
): MissionState {
  if (whyNotDeclarable(mission, situation) !== null) return mission;
  const declared = declaredEnd(declaration, situation.nowMs);
  const result = { reason: 'declared_ended', message: declaredEndMessage(declared) } as const;
  return { ...end(mission, 'failed', result, situation.nowMs), declared };
}

function whyNotDeclarable(mission: MissionState, { isReachable, nowMs }: Situation): RefusalMessage | null {
  if (isMissionOver(mission)) return sentence('mission_has_ended', { status: mission.status });
  if (!possiblyRunning(mission)) return sentence('mission_has_not_begun');
  const startMs = latestPossibleStartMs(mission);
  if (startMs !== null && nowMs <= startMs) {
    return sentence('mission_may_begin', { until: toIso(startMs) });
  }
  if (!isReachable) return null;
  if (mission.requested !== 'cancel') {
    return sentence('mission_cancel_first');
  }
  const overdueMs = (mission.requestedAtMs ?? nowMs) + HALT_CONFIRMATION_MS_MAX;
  if (nowMs >= overdueMs) return null;
  return sentence('mission_may_end', { from: toIso(overdueMs) });
}

/** Until when a start that the device has not answered may still reach it; `null` if the device has begun. */
const latestPossibleStartMs = ({ status, startSentAtMs }: MissionState): number | null =>
  status !== 'dispatched' || startSentAtMs === null
    ? null
    : startSentAtMs + MOTION_EXPIRY_MS + EXPIRY_SKEW_MS;
