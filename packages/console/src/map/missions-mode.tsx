import type { MissionRecord, MissionRequestKind } from '@granary/contract/missions';
import type { Point } from '@granary/contract/positions';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { confirmed } from '../context/confirmed.ts';
import { callOptions, useConsole, useIsLost, useScope } from '../context/console.ts';
import { addressOf } from '../context/routes.ts';
import { Button } from '../kit/button.tsx';
import { useAction } from '../kit/form-state.ts';
import { formatDuration, formatLength } from '../kit/format.ts';
import { Time } from '../kit/measured.tsx';
import { Failure } from '../kit/messages.tsx';
import { statusText } from '../kit/sentences.ts';
import { set } from '../kit/set.ts';
import { useLoaded } from '../kit/use-loaded.ts';
import { MISSION_UNDER_WAY } from '../live/site.ts';
import { locale, texts } from '../texts.ts';
import type { MapContents } from './contents.ts';
import { pathOf, screenOf } from './surface/projection.ts';
import { useView } from './surface/surface-context.ts';
import { missionPath, missionStatus } from './vehicles.ts';

const SHOWN_MAX = 10;

/** The requests that are possible for a mission in each status; in every other status it has ended. */
const POSSIBLE: Readonly<Partial<Record<MissionRecord['status'], readonly MissionRequestKind[]>>> = {
  scheduled: ['cancel'],
  dispatched: ['cancel'],
  in_progress: ['pause', 'cancel'],
  paused: ['resume', 'cancel'],
};

interface Props {
  readonly deviceId: string;
  /** The mission in the address; without one, the mission under way is shown. */
  readonly missionId: string | null;
  readonly contents: MapContents;
}

/** Shows the mission that is followed, and the list of the newest ones. */
export function MissionsMode({ deviceId, missionId, contents }: Props) {
  const { map } = texts.value;
  const { missions, hasMore, failure } = useMissions(deviceId, missionId);
  const mayConfigure = useScope('configure');
  const shown =
    missions?.find(({ mission_id, status }) =>
      missionId === null ? MISSION_UNDER_WAY.includes(status) : mission_id === missionId,
    ) ?? null;
  useEffect(() => set(contents.mission, shown), [shown]);
  useEffect(() => () => set(contents.mission, null), []);
  return (
    <>
      {shown !== null && <MissionPanel deviceId={deviceId} mission={shown} />}
      <Failure of={failure} />
      <MissionList
        deviceId={deviceId}
        missions={missions}
        hasMore={hasMore}
        shownId={shown?.mission_id ?? null}
      />
      {mayConfigure && (
        <p>
          <a class="button" href={addressOf('map', null, { device: deviceId, mode: 'geofence' })}>
            {map.editGeofence}
          </a>
        </p>
      )}
    </>
  );
}

interface MissionListProps {
  readonly deviceId: string;
  readonly missions: readonly MissionRecord[] | undefined;
  readonly hasMore: boolean;
  readonly shownId: string | null;
}

/** Lists the newest missions of a vehicle; each leads to its waypoints. */
function MissionList({ deviceId, missions: all, hasMore, shownId }: MissionListProps) {
  const { missions } = texts.value;
  const mayOperate = useScope('operate');
  return (
    <section aria-label={missions.title}>
      <div class="map-facility">
        <h3>{missions.title}</h3>
        {mayOperate && (
          <a class="button" href={addressOf('map', null, { device: deviceId, mode: 'plan' })}>
            {missions.plan}
          </a>
        )}
      </div>
      {all?.length === 0 && <p class="muted">{missions.none}</p>}
      <ul class="map-list">
        {all?.map(({ mission_id, mission_name, status, result, scheduled_start }) => (
          <li key={mission_id}>
            <a
              href={addressOf('map', null, { device: deviceId, mission: mission_id })}
              aria-current={mission_id === shownId ? 'true' : undefined}
            >
              <strong class="free-text">{mission_name}</strong>
              <span>{missionStatus({ status, result }, missions)}</span>
              <span class="muted wide">
                <Time at={scheduled_start} />
              </span>
            </a>
          </li>
        ))}
      </ul>
      {hasMore && (
        <p>
          <a href={addressOf('operations', 'missions', { device: deviceId })}>{texts.value.shifts.more}</a>
        </p>
      )}
    </section>
  );
}

interface NewestMissions {
  /** `undefined` until the missions were read. */
  readonly missions: readonly MissionRecord[] | undefined;
  readonly hasMore: boolean;
  readonly failure: unknown;
}

/** The newest missions of a vehicle, with the wanted one if it is not among them; those under way are as they are now. */
function useMissions(deviceId: string, wantedId: string | null): NewestMissions {
  const { client, live } = useConsole();
  const isLost = useIsLost();
  const loaded = useLoaded(
    async (signal) => {
      const { data, page } = await client.missions.list(deviceId, { limit: SHOWN_MAX }, { signal });
      const isKnown = wantedId === null || data.some(({ mission_id }) => mission_id === wantedId);
      const hasMore = page.next_cursor !== null;
      if (isKnown) return { data, hasMore };
      const wanted = await client.missions.get(deviceId, wantedId, { signal }).catch(() => null);
      return { data: wanted === null ? data : [...data, wanted], hasMore };
    },
    [deviceId, wantedId, isLost],
  );
  useEffect(
    () =>
      live.onEvent((event) => {
        if (event.device_id === deviceId && event.type.startsWith('mission.')) loaded.reload();
      }),
    [deviceId],
  );
  const underWay = live.site.missions.all.value;
  const missions = loaded.value?.data.map((mission) => underWay.get(mission.mission_id) ?? mission);
  return { missions, hasMore: loaded.value?.hasMore === true, failure: loaded.failure };
}

/** Shows one mission, waypoint by waypoint. */
function MissionPanel({ deviceId, mission }: { readonly deviceId: string; readonly mission: MissionRecord }) {
  const { missions } = texts.value;
  const { mission_name, waypoints, preflight } = mission;
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
        {missions.waypointsReached({ reached, all: waypoints.length })}
      </progress>
      <p role="status" class="free-text">
        {statusText(mission)}
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

/** The facts by which a second person decides whether a mission goes on. */
function ResumeFacts({ mission: { waypoints } }: { readonly mission: MissionRecord }) {
  const { missions } = texts.value;
  const reached = waypoints.filter(({ status }) => status === 'reached').length;
  return (
    <>
      <p>{missions.resumeMeans}</p>
      <p>
        {missions.waypoints}: {missions.waypointsReached({ reached, all: waypoints.length })}
      </p>
    </>
  );
}

/** The buttons of a mission. A pause is sent at once; a request that moves the vehicle or cannot be undone is confirmed. */
function MissionControls({
  deviceId,
  mission,
}: {
  readonly deviceId: string;
  readonly mission: MissionRecord;
}) {
  const { missions, common } = texts.value;
  const { run, isRunning, failure, forget } = useAction();
  const send = useMissionRequest(deviceId, mission);
  const asked = useSignal<'resume' | 'cancel' | null>(null);
  const mayOperate = useScope('operate');
  const possible = POSSIBLE[mission.status] ?? [];
  if (!mayOperate || possible.length === 0) return null;
  const request = async (kind: MissionRequestKind): Promise<void> => {
    const isDone = await run(() => send(kind));
    // Another question that was opened meanwhile stays open.
    if (isDone && asked.peek() === kind) asked.value = null;
  };
  const ask = (kind: 'resume' | 'cancel' | null): void => {
    forget();
    asked.value = kind;
  };
  const kind = asked.value;
  if (kind !== null && possible.includes(kind)) {
    return (
      <div class="map-confirm">
        <p>{kind === 'cancel' ? missions.cancelMeans : missions.resumeMeans}</p>
        <Failure of={failure} />
        <div class="buttons">
          <Button kind="primary" isBusy={isRunning} isChange onPress={() => void request(kind)}>
            {missions.controls[kind]}
          </Button>
          <Button onPress={() => ask(null)}>{kind === 'cancel' ? missions.keep : common.cancel}</Button>
        </div>
      </div>
    );
  }
  return (
    <>
      <Failure of={failure} />
      <div class="buttons">
        {possible.map((offered) => (
          <Button
            key={offered}
            isBusy={isRunning && offered === 'pause'}
            isChange
            isDisabled={mission.requested === offered}
            onPress={() => {
              if (offered !== 'pause') return ask(offered);
              forget();
              void request(offered);
            }}
          >
            {missions.controls[offered]}
          </Button>
        ))}
      </div>
    </>
  );
}

/** Sends a request about a mission, and shows the mission as the service answers it. */
function useMissionRequest(deviceId: string, mission: MissionRecord) {
  const console = useConsole();
  const { client, live } = console;
  const { mission_id, mission_name } = mission;
  return (kind: MissionRequestKind): Promise<void> => {
    const what = {
      title: `${texts.value.missions.controls.resume}: ${mission_name}`,
      plan: <ResumeFacts mission={mission} />,
      device_id: deviceId,
      resource_id: mission_id,
    };
    const answer =
      kind === 'resume'
        ? confirmed(console, { ...what, action: 'missions.resume' }, (options) =>
            client.missions.resume(deviceId, mission_id, options),
          )
        : client.missions[kind](deviceId, mission_id, callOptions(console));
    return live.site.missions.putAnswer(answer.then((record) => [{ device_id: deviceId, ...record }]));
  };
}

interface MissionLayerProps {
  readonly mission: MissionRecord;
  readonly vehicle: Point | null;
}

/** Draws a mission: the planned way dashed, the done way solid. */
export function MissionLayer({ mission, vehicle }: MissionLayerProps) {
  const view = useView();
  const { missions } = texts.value;
  const { done, left } = missionPath(mission, vehicle);
  return (
    <g class="map-mission">
      <path class="left" d={pathOf(left, view)} />
      <path class="done" d={pathOf(done, view)} />
      {mission.waypoints.map((waypoint, index) => {
        const { x, y } = screenOf(waypoint, view);
        return (
          <g key={index} class={`stop-point ${waypoint.status}`} transform={`translate(${x} ${y})`}>
            <title>{`${missions.waypoint({ number: index + 1 })}: ${missions.waypointStatuses[waypoint.status]}`}</title>
            <circle r="10" />
            <text y="4">{index + 1}</text>
          </g>
        );
      })}
    </g>
  );
}
