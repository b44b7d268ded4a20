import type { MissionRecord, MissionRequestKind } from '@granary/contract/missions/missions';
import { useSignal } from '@preact/signals';
import { callOptions, useConsole, useScope } from '../../console.ts';
import { formatLength } from '../../format/lengths.ts';
import { withLocalTimes } from '../../format/sentences.ts';
import { formatDuration } from '../../format/times.ts';
import { Time } from '../../parts/age.tsx';
import { Button } from '../../parts/button.tsx';
import { Failure } from '../../parts/failure.tsx';
import { useAction } from '../../parts/forms/use-action.ts';
import { locale, texts } from '../../texts/texts.ts';
import { missionStatus } from './mission-status.ts';

/** What may be asked of a mission in each status; in every other status it has ended. */
const POSSIBLE: Readonly<Partial<Record<MissionRecord['status'], readonly MissionRequestKind[]>>> = {
  scheduled: ['cancel'],
  dispatched: ['cancel'],
  in_progress: ['pause', 'cancel'],
  paused: ['resume', 'cancel'],
};

interface Props {
  readonly deviceId: string;
  readonly mission: MissionRecord;
}

/** One mission, waypoint by waypoint. */
export function MissionPanel({ deviceId, mission }: Props) {
  const { missions } = texts.value;
  const { nowMs } = useConsole().live.site.clock;
  const { mission_name, status_detail, waypoints, preflight } = mission;
  const reached = waypoints.filter((waypoint) => waypoint.status === 'reached').length;
  return (
    <section class="map-mission-panel" aria-label={mission_name}>
      <h3 class="free-text">{mission_name}</h3>
      <p>
        <strong>{missionStatus(mission, missions)}</strong>{' '}
        <span class="muted">
          {formatLength(preflight.distance_m, locale.value)} · {formatDuration(preflight.duration_s * 1_000)}
        </span>
      </p>
      <progress max={waypoints.length} value={reached} aria-label={missions.progress}>
        {missions.waypointsReached(reached, waypoints.length)}
      </progress>
      <p role="status" class="free-text">
        {withLocalTimes(status_detail, nowMs.peek(), locale.value)}
      </p>
      <MissionControls deviceId={deviceId} mission={mission} />
      <ol class="map-steps">
        {waypoints.map((waypoint, index) => (
          <li key={index} class={waypoint.status}>
            <span class="number">{index + 1}</span>
            <span>{missions.actions[waypoint.action]}</span>
            <span class="state">
              {missions.waypointStatuses[waypoint.status]}
              {waypoint.reached_at !== null && (
                <>
                  {' '}
                  <Time at={waypoint.reached_at} />
                </>
              )}
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** A pause is sent at once; what moves the vehicle or cannot be taken back is confirmed. */
function MissionControls({
  deviceId,
  mission,
}: {
  readonly deviceId: string;
  readonly mission: MissionRecord;
}) {
  const console = useConsole();
  const { missions, common } = texts.value;
  const { run, isRunning, failure, forget } = useAction();
  const asked = useSignal<'resume' | 'cancel' | null>(null);
  const mayOperate = useScope('operate');
  const isLost = console.live.connection.current.value.state === 'lost';
  const possible = POSSIBLE[mission.status] ?? [];
  if (!mayOperate || possible.length === 0) return null;
  const request = async (kind: MissionRequestKind): Promise<void> => {
    const isDone = await run(async () => {
      const { client, live } = console;
      const record = await client.missions[kind](deviceId, mission.mission_id, callOptions(console));
      live.site.missions.put({ device_id: deviceId, ...record });
    });
    if (isDone) asked.value = null;
  };
  const kind = asked.value;
  if (kind !== null && possible.includes(kind)) {
    return (
      <div class="map-confirm">
        <p>{kind === 'cancel' ? missions.cancelMeans : missions.resumeMeans}</p>
        <Failure of={failure} />
        <div class="buttons">
          <Button kind="primary" isBusy={isRunning} isDisabled={isLost} onPress={() => void request(kind)}>
            {missions.controls[kind]}
          </Button>
          <Button
            onPress={() => {
              forget();
              asked.value = null;
            }}
          >
            {kind === 'cancel' ? missions.keep : common.cancel}
          </Button>
        </div>
      </div>
    );
  }
  return (
    <>
      <Failure of={failure} />
      <div class="buttons">
        {possible.map((one) => (
          <Button
            key={one}
            isBusy={isRunning}
            isDisabled={isLost || mission.requested === one}
            title={isLost ? common.notWhileOffline : ''}
            onPress={() => {
              forget();
              if (one === 'pause') void request(one);
              else asked.value = one;
            }}
          >
            {missions.controls[one]}
          </Button>
        ))}
      </div>
    </>
  );
}
