import type { MissionRecord, MissionRequestKind } from '@granary/contract/missions/missions';
import { useSignal } from '@preact/signals';
import { callOptions, useConsole, useScope } from '../../console.ts';
import { Button } from '../../parts/button.tsx';
import { Failure } from '../../parts/failure.tsx';
import { useAction } from '../../parts/forms/use-action.ts';
import { texts } from '../../texts/texts.ts';

/** What may be asked of a mission in each status; in every other status it has ended. */
const POSSIBLE: Readonly<Partial<Record<MissionRecord['status'], readonly MissionRequestKind[]>>> = {
  scheduled: ['cancel'],
  dispatched: ['cancel'],
  in_progress: ['pause', 'cancel'],
  paused: ['resume', 'cancel'],
};

/** A pause is sent at once; what moves the vehicle or cannot be taken back is confirmed. */
export function MissionControls({
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
