import { PROFILE_OUTLINES } from '@granary/contract/outline';
import './field-map.css';
import './missions-mode.css';
import './planner-panel.css';
import './vehicles.css';
import type { FleetMission } from '@granary/contract/fleet';
import type { Point } from '@granary/contract/positions';
import { type Signal, useComputed, useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { EmergencyStop } from '../commands/emergency-stop.tsx';
import { useVehicleState } from '../commands/vehicle-commands.tsx';
import { useConsole } from '../context/console.ts';
import { addressOf } from '../context/routes.ts';
import { EmptyState } from '../kit/empty-state.tsx';
import { formatValue } from '../kit/format.ts';
import { Notice } from '../kit/messages.tsx';
import { useRootClass } from '../kit/root-class.ts';
import type { LiveDevice } from '../live/site.ts';
import { locale, texts } from '../texts.ts';
import { emptyContents, type MapContents } from './contents.ts';
import { withCorner } from './fence-draft.ts';
import { FenceLayer, FencePanel } from './fence-panel.tsx';
import {
  type Draft,
  EMPTY_DRAFT,
  type LegFaults,
  withChange,
  withoutWaypoint,
  withWaypoint,
} from './mission-draft.ts';
import { MissionLayer, MissionsMode } from './missions-mode.tsx';
import { PlanMode } from './planner-panel.tsx';
import { DragHandle } from './surface/drag-handle.tsx';
import { MapSurface } from './surface/map-surface.tsx';
import {
  fitted,
  isVisible,
  pathOf,
  pointOf,
  screenOf,
  type Viewport,
  worldOf,
} from './surface/projection.ts';
import { NO_VIEW, useView } from './surface/surface-context.ts';
import { Tracks } from './tracks.ts';
import { VehicleGround } from './vehicle-ground.tsx';
import { VehicleLayer } from './vehicle-layer.tsx';
import { VehicleList, VehiclePanel } from './vehicle-panel.tsx';
import { firstShown, positionOf } from './vehicles.ts';

/** With more vehicles than this, only the ground of the selected one is drawn. */
const GROUNDS_MAX = 20;

interface PlannerProps {
  readonly draft: Signal<Draft>;
  /** The position of the vehicle; `null` if it is not known. */
  readonly from: Point | null;
  readonly base: Point | null;
  readonly faults: LegFaults | null;
}

/** Draws the mission: the way as a dashed line, the way back thinner, and refused legs in the form of a warning. */
export function PlannerLayer({ draft, from, base, faults }: PlannerProps) {
  const view = useView();
  const { missions } = texts.value;
  const { waypoints, selectedId } = draft.value;
  const starts = [from, ...waypoints];
  const last = waypoints.at(-1);
  const home = base ?? from;
  const isRefused = (index: number): boolean =>
    faults?.waypoints.has(index) === true || faults?.tooFar.has(index) === true;
  return (
    <g class="map-plan">
      {last !== undefined && home !== null && (
        <path
          class={`way-back ${faults?.isWayBackTooFar === true ? 'refused' : ''}`}
          d={pathOf([last, home], view)}
        />
      )}
      {waypoints.map((waypoint, index) => {
        const start = starts[index];
        const d = start === null || start === undefined ? '' : pathOf([start, waypoint], view);
        return <path key={waypoint.id} class={`leg ${isRefused(index) ? 'refused' : ''}`} d={d} />;
      })}
      {waypoints.map((waypoint, index) => (
        <DragHandle
          key={waypoint.id}
          at={waypoint}
          kind={`waypoint ${waypoint.id === selectedId ? 'selected' : ''} ${isRefused(index) ? 'refused' : ''}`}
          label={`${missions.waypoint({ number: index + 1 })}, ${missions.actions[waypoint.action]}`}
          onMove={(to) => {
            draft.value = withChange(draft.peek(), waypoint.id, to);
          }}
          onSelect={() => {
            draft.value = { ...draft.peek(), selectedId: waypoint.id };
          }}
          onRemove={() => {
            draft.value = withoutWaypoint(draft.peek(), waypoint.id);
          }}
        >
          {isRefused(index) ? <path class="body" d="M0-15 15 11H-15z" /> : <circle class="body" r="12" />}
          <text y="5">{index + 1}</text>
        </DragHandle>
      ))}
    </g>
  );
}

/** Shows where the field devices are, where they were, and what they do. */
export function FieldMap() {
  const { client, live, navigation, settings } = useConsole();
  const { map } = texts.value;
  const place = useRef<HTMLDivElement>(null);
  useRootClass('stop-docked');
  const contents = useMemo(emptyContents, []);
  const tracks = useMemo(() => new Tracks(client), [client]);
  const vehicles = useComputed(() => [...live.site.devices.all.value.values()].filter(isVehicle));
  const { query } = navigation.route.value;
  const selectedId = query.get('device');
  const selected = vehicles.value.find((device) => device.peek().device_id === selectedId) ?? null;
  const { view, show, onFence } = useFittedView(vehicles.value, selected, selectedId);
  useEffect(() => {
    // The drawn mission belongs to the vehicle that was selected before.
    contents.draft.value = EMPTY_DRAFT;
  }, [selectedId]);
  const mode = selected === null ? null : query.get('mode');
  useEffect(() => {
    // On a phone the button for drawing is below the map, which the person wants to see while drawing.
    if (isMode(mode)) place.current?.scrollIntoView({ block: 'start' });
  }, [isMode(mode)]);

  if (vehicles.value.length === 0) return <EmptyState drawing="field" title={map.noVehicles} />;
  const select = (device: string): void => navigation.open(addressOf('map', null, { device }));
  const ordered = byImportance(vehicles.value, selected, live.site.missions.all.value.values());
  const grounds =
    ordered.length > GROUNDS_MAX && selected !== null ? [selected] : ordered.slice(0, GROUNDS_MAX);
  return (
    <div ref={place} class="map-view">
      <h1 class="only-for-readers">{map.title}</h1>
      {settings.map_fault !== null && <Notice>{map.faults[settings.map_fault]}</Notice>}
      <MapSurface
        view={view}
        tilesAddress={settings.map_tiles_url}
        isDrawing={isMode(mode)}
        onPress={isMode(mode) ? (point) => addPoint(contents, mode, point) : undefined}
        onShowAll={() => show(vehicles.peek())}
        weather={<Wind facility={selected?.value.location.facility ?? null} />}
      >
        {grounds.map((device) => (
          <VehicleGround
            key={device.peek().device_id}
            deviceId={device.peek().device_id}
            name={device.value.location.zone}
            isSelected={device === selected}
            isFaint={selected !== null && device !== selected}
            hasGeofence={device !== selected || mode !== 'geofence'}
            onFence={onFence}
          />
        ))}
        <VehicleLayer
          devices={ordered}
          tracks={tracks}
          selectedId={selectedId}
          onSelect={isMode(mode) ? null : select}
          onFocus={(point) => bringIntoView(view, point)}
        />
        {selected !== null && <SelectedLayer device={selected} mode={mode} contents={contents} />}
      </MapSurface>
      <aside class="map-panel" aria-label={selected === null ? map.vehicles : selected.value.name}>
        {selected === null ? (
          <VehicleList devices={vehicles.value} onShow={show} />
        ) : (
          <SelectedPanel
            key={selectedId}
            device={selected}
            missionId={query.get('mission')}
            mode={mode}
            contents={contents}
            middle={() => pointOf(view.peek().center)}
            open={(more) =>
              navigation.open(addressOf('map', null, { device: selectedId ?? undefined, ...more }))
            }
          />
        )}
      </aside>
    </div>
  );
}

/** First the selected vehicle, then those on a mission. */
function byImportance(
  vehicles: readonly LiveDevice[],
  selected: LiveDevice | null,
  missions: Iterable<FleetMission>,
): LiveDevice[] {
  const onMission = new Set(Array.from(missions, ({ device_id }) => device_id));
  const rank = (device: LiveDevice): number => {
    if (device === selected) return 0;
    return onMission.has(device.peek().device_id) ? 1 : 2;
  };
  return vehicles.toSorted((one, other) => rank(one) - rank(other));
}

/** The part of the world that the map shows: at first the vehicles, then whatever a person moves it to. */
function useFittedView(
  vehicles: readonly LiveDevice[],
  selected: LiveDevice | null,
  selectedId: string | null,
) {
  const view = useSignal(NO_VIEW);
  const isFitted = useSignal(false);
  const fences = useRef(new Map<string, readonly Point[]>());
  /** The devices to which the map was fitted, and the resulting view; the present view differs when a person has moved the map. */
  const fittedTo = useRef<{ readonly devices: readonly LiveDevice[]; readonly view: Viewport }>(null);
  const isSized = view.value.width > 0;
  const groundOf = (device: LiveDevice): readonly Point[] => [
    ...placed(device).map(({ point }) => point),
    ...(fences.current.get(device.peek().device_id) ?? []),
  ];
  const show = (devices: readonly LiveDevice[]): void => {
    const points = devices.flatMap(groundOf);
    if (points.length > 0) isFitted.value = true;
    view.value = fitted(points, view.peek());
    fittedTo.current = { devices, view: view.peek() };
  };
  useEffect(() => {
    if (!isSized || isFitted.peek()) return;
    if (selected === null) show(firstShown(vehicles.flatMap(placed)));
    else show([selected]);
  }, [isSized, vehicles]);
  useEffect(() => {
    const isSeen = (point: Point): boolean => isVisible(screenOf(point, view.peek()), view.peek());
    if (isSized && selected !== null && !groundOf(selected).every(isSeen)) show([selected]);
  }, [selectedId]);
  return {
    view,
    show,
    onFence: (deviceId: string, fence: readonly Point[] | null): void => {
      fences.current.set(deviceId, fence ?? []);
      const now = fittedTo.current;
      if (now?.view === view.peek()) show(now.devices);
    },
  };
}

function bringIntoView(view: Signal<Viewport>, point: Point): void {
  if (!isVisible(screenOf(point, view.peek()), view.peek()))
    view.value = { ...view.peek(), center: worldOf(point) };
}

function addPoint({ draft, fence }: MapContents, mode: 'plan' | 'geofence', point: Point): void {
  const corners = fence.peek();
  if (mode === 'plan') draft.value = withWaypoint(draft.peek(), point);
  else if (corners !== null) fence.value = withCorner(corners, point);
}

/** Shows the wind speed at the facility, if a station there measures it; the direction is not measured. */
function Wind({ facility }: { readonly facility: string | null }) {
  const { devices } = useConsole().live.site;
  const { common } = texts.value;
  const found = [...devices.all.value.values()].find(
    ({ value: { profile, location, readings = {} } }) =>
      profile === 'weather_station' &&
      (facility === null || location.facility === facility) &&
      readings['wind_speed'] !== undefined &&
      readings['wind_speed'].quality !== 'bad',
  )?.value;
  const wind = found?.readings?.['wind_speed'];
  if (found === undefined || wind === undefined) return null;
  return (
    <span class="map-wind free-text" title={found.name}>
      {common.sensors['wind_speed']} {formatValue(wind.value, wind.unit, locale.value)}
    </span>
  );
}

const isMode = (mode: string | null): mode is 'plan' | 'geofence' => mode === 'plan' || mode === 'geofence';

const isVehicle = (device: LiveDevice): boolean =>
  PROFILE_OUTLINES[device.peek().profile]?.capabilities.includes('missions') ?? false;

const placed = (device: LiveDevice) => {
  const position = positionOf(device.peek());
  return position === null
    ? []
    : [{ device, facility: device.peek().location.facility, point: position.point }];
};

interface SelectedProps {
  readonly device: LiveDevice;
  readonly mode: string | null;
  readonly contents: MapContents;
}

/** Draws what the panel of the selected vehicle shows on the map. */
function SelectedLayer({ device, mode, contents }: SelectedProps) {
  const vehicle = positionOf(device.value)?.point ?? null;
  if (mode === 'geofence') return <FenceLayer fence={contents.fence} />;
  if (mode === 'plan') {
    return (
      <PlannerLayer
        draft={contents.draft}
        from={vehicle}
        base={contents.base.value}
        faults={contents.faults.value}
      />
    );
  }
  const mission = contents.mission.value;
  return mission === null ? null : <MissionLayer mission={mission} vehicle={vehicle} />;
}

interface SelectedPanelProps {
  readonly device: LiveDevice;
  readonly mode: string | null;
  readonly missionId: string | null;
  readonly contents: MapContents;
  readonly middle: () => Point;
  readonly open: (more: Readonly<Record<string, string | undefined>>) => void;
}

/** Shows the selected vehicle, the planner for it, or the editor of its geofence; the emergency stop is in each of them. */
function SelectedPanel({ device, mode, missionId, contents, middle, open }: SelectedPanelProps) {
  const { device_id: deviceId, name } = device.value;
  const { value: state, failure } = useVehicleState(deviceId);
  const stop = <EmergencyStop deviceId={deviceId} name={name} state={state?.detail.emergency_stop} />;
  if (mode === 'plan') {
    return (
      <>
        {stop}
        <PlanMode
          deviceId={deviceId}
          name={name}
          contents={contents}
          middle={middle}
          onClose={(created) => open({ mission: created ?? undefined })}
        />
      </>
    );
  }
  if (mode === 'geofence') {
    return (
      <>
        {stop}
        <FencePanel
          deviceId={deviceId}
          name={name}
          middle={middle}
          fence={contents.fence}
          onClose={() => open({})}
        />
      </>
    );
  }
  return (
    <VehiclePanel device={device} state={state} failure={failure} stop={stop}>
      <MissionsMode deviceId={deviceId} missionId={missionId} contents={contents} />
    </VehiclePanel>
  );
}
