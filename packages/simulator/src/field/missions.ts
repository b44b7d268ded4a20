import type { MissionAck, MissionControl, MissionUpload } from '@granary/contract/link/field-messages';
import { checkedTimeMs } from '@granary/contract/time';
import { type Answered, STOP_IN_FORCE } from './pilot/commands.ts';
import { type MissionRun, pauseRun, resumeRun, setOut, uploadedRun } from './pilot/mission-machine.ts';
import { addFinishedMission, dropHeld, endMission, endTask, type Pilot } from './pilot/pilot.ts';

/** A repeated upload is acknowledged each time and accepted once, as a whole; a refused one stays refused. */
export function acceptUpload(before: Pilot, upload: MissionUpload): Answered<MissionAck> {
  const { mission_id } = upload;
  const accepted = { mission_id, accepted: true };
  if (before.mission?.upload.mission_id === mission_id) return { pilot: before, ack: accepted };
  const known = before.missions.find((finished) => finished.mission_id === mission_id);
  if (known !== undefined) {
    return { pilot: before, ack: known.state === 'unknown' ? refusal(mission_id, known.reason) : accepted };
  }
  const pilot = clearMissed(before);
  const { mission, body } = pilot;
  const reason = pilot.isStopped ? STOP_IN_FORCE : reasonToRefuse(mission, upload, body.timeMs);
  if (reason === undefined) return { pilot: { ...pilot, mission: uploadedRun(upload) }, ack: accepted };
  const refused = { mission_id, state: 'unknown', reason, ts: body.timeMs } as const;
  return { pilot: addFinishedMission(pilot, refused), ack: refusal(mission_id, reason) };
}

/** An expired mission that was never started does not block another one. */
function clearMissed(pilot: Pilot): Pilot {
  const { mission, body } = pilot;
  const isMissed = mission?.state === 'uploaded' && isTooLate(mission, body.timeMs);
  return isMissed ? endMission(pilot, 'aborted', 'it was never started') : pilot;
}

const isTooLate = ({ upload }: MissionRun, nowMs: number): boolean =>
  nowMs > checkedTimeMs(upload.expires_at);

function reasonToRefuse(
  mission: MissionRun | null,
  upload: MissionUpload,
  nowMs: number,
): string | undefined {
  if (nowMs > checkedTimeMs(upload.expires_at)) return 'it came too late';
  return mission === null ? undefined : `${mission.upload.mission_id} is ${mission.state}`;
}

const refusal = (mission_id: string, reason?: string): MissionAck => ({
  mission_id,
  accepted: false,
  ...(reason === undefined ? {} : { reason }),
});

/** May be received at any time and repeatedly; a message that does not fit the state changes nothing. */
export function control(pilot: Pilot, message: MissionControl): Pilot {
  const { command, mission_id } = message;
  const { mission } = pilot;
  if (mission?.upload.mission_id !== mission_id) {
    return command === 'mission_cancel' ? refuseInAdvance(pilot, mission_id) : pilot;
  }
  if ('expires_at' in message && !mayMove(pilot, message.expires_at)) return pilot;
  switch (command) {
    case 'mission_start':
      return begin(pilot, mission);
    case 'mission_pause':
      return { ...pilot, mission: pauseRun(mission, null) };
    case 'mission_resume':
      return mission.state === 'paused'
        ? { ...cancelPendingWork(pilot), mission: resumeRun(mission) }
        : pilot;
    case 'mission_cancel':
      return endMission(pilot, 'aborted', 'it was cancelled');
  }
}

/** A cancel that arrives before its upload is stored, so that the upload is refused. */
function refuseInAdvance(pilot: Pilot, mission_id: string): Pilot {
  if (pilot.missions.some((finished) => finished.mission_id === mission_id)) return pilot;
  const reason = 'it was cancelled before it came';
  return addFinishedMission(pilot, { mission_id, state: 'unknown', reason, ts: pilot.body.timeMs });
}

const mayMove = ({ isStopped, body }: Pilot, expiresAt: string): boolean =>
  !isStopped && body.timeMs <= Date.parse(expiresAt);

function begin(pilot: Pilot, mission: MissionRun): Pilot {
  if (mission.state !== 'uploaded' || isTooLate(mission, pilot.body.timeMs)) return pilot;
  return { ...cancelPendingWork(pilot), isReturningHome: false, mission: setOut(mission) };
}

/** The device does one job at a time, so a mission that starts cancels every other job. */
const cancelPendingWork = (pilot: Pilot): Pilot =>
  dropHeld(endTask(pilot, 'cancelled', 'a mission set out'), 'a mission set out');
