import type { Point } from '@granary/contract/positions';
import { PROFILES } from '@granary/contract/profiles/profiles';
import { useComputed, useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { useConsole } from '../console.ts';
import type { LiveDevice } from '../live/devices.ts';
import { Notice } from '../parts/notice.tsx';
import { addressOf } from '../routes.ts';
import { texts } from '../texts/texts.ts';
import { emptyContents } from './contents.ts';
import { withCorner } from './geofence/fence-draft.ts';
import { EMPTY_DRAFT, withWaypoint } from './planner/draft.ts';
import { SelectedLayer } from './selected-layer.tsx';
import { SelectedPanel } from './selected-panel.tsx';
import { MapSurface } from './surface/map-surface.tsx';
import { fitted, isVisible, pointOf, screenOf } from './surface/projection.ts';
import { NO_VIEW } from './surface/surface-context.ts';
import { firstShown } from './vehicles/first-shown.ts';
import { Tracks } from './vehicles/tracks.ts';
import { positionOf } from './vehicles/vehicle.ts';
import { VehicleGround } from './vehicles/vehicle-ground.tsx';
import { VehicleLayer } from './vehicles/vehicle-layer.tsx';
import { VehicleList } from './vehicles/vehicle-list.tsx';
import './field-map.css';
import './missions/missions.css';
import './planner/planner.css';
import './vehicles/vehicles.css';

/** Of more vehicles only the ground of the selected one is drawn. */
const GROUNDS_MAX = 20;

/** Where the field devices are, where they were, and what they do. */
export function FieldMap() {
  const { client, live, navigation, settings } = useConsole();
  const { map } = texts.value;
  const view = useSignal(NO_VIEW);
  const isFitted = useSignal(false);
  const contents = useMemo(emptyContents, []);
  const tracks = useMemo(() => new Tracks(client), [client]);
  const tilesAddress = settings.map_tiles_url;
  const vehicles = useComputed(() => [...live.site.devices.all.value.values()].filter(isVehicle));
  const { query } = navigation.route.value;
  const selectedId = query.get('device');
  const selected = vehicles.value.find((device) => device.peek().device_id === selectedId) ?? null;
  const isSized = view.value.width > 0;

  const show = (devices: readonly LiveDevice[]): void =>
    showPoints(devices.flatMap(placed).map(({ point }) => point));
  const showPoints = (points: readonly Point[]): void => {
    if (points.length > 0) isFitted.value = true;
    view.value = fitted(points, view.peek());
  };
  useEffect(() => {
    if (!isSized || isFitted.peek()) return;
    if (selected === null) showPoints(firstShown(vehicles.value.flatMap(placed)));
    else show([selected]);
  }, [isSized, vehicles.value]);
  useEffect(() => {
    // What is drawn belongs to one vehicle.
    contents.draft.value = EMPTY_DRAFT;
    const position = selected === null ? null : positionOf(selected.peek());
    const isSeen = position === null || isVisible(screenOf(position.point, view.peek()), view.peek());
    if (isSized && selected !== null && !isSeen) show([selected]);
  }, [selectedId]);

  if (vehicles.value.length === 0) return <Notice>{map.noVehicles}</Notice>;
  const select = (deviceId: string): void => navigation.open(addressOf('map', null, { device: deviceId }));
  const onMission = new Set([...live.site.missions.all.value.values()].map(({ device_id }) => device_id));
  const importance = (device: LiveDevice): number => {
    if (device === selected) return 0;
    return onMission.has(device.peek().device_id) ? 1 : 2;
  };
  const ordered = vehicles.value.toSorted((one, other) => importance(one) - importance(other));
  const grounds =
    ordered.length > GROUNDS_MAX && selected !== null ? [selected] : ordered.slice(0, GROUNDS_MAX);
  const mode = selected === null ? null : query.get('mode');
  const open = (more: Readonly<Record<string, string | undefined>>): void =>
    navigation.open(addressOf('map', null, { device: selectedId ?? undefined, ...more }));
  const middle = (): Point => pointOf(view.peek().center);
  const onPress = {
    plan: (point: Point): void => {
      contents.draft.value = withWaypoint(contents.draft.peek(), point);
    },
    geofence: (point: Point): void => {
      const fence = contents.fence.peek();
      if (fence !== null) contents.fence.value = withCorner(fence, point);
    },
  };
  return (
    <div class="map-view">
      <h1 class="only-for-readers">{map.title}</h1>
      <MapSurface
        view={view}
        tilesAddress={tilesAddress}
        isDrawing={isMode(mode)}
        onPress={isMode(mode) ? onPress[mode] : undefined}
        onShowAll={() => show(vehicles.peek())}
      >
        {grounds.map((device) => (
          <VehicleGround
            key={device.peek().device_id}
            deviceId={device.peek().device_id}
            isSelected={device === selected}
            hasGeofence={device !== selected || mode !== 'geofence'}
          />
        ))}
        <VehicleLayer
          devices={ordered}
          tracks={tracks}
          selectedId={selectedId}
          onSelect={isMode(mode) ? null : select}
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
            middle={middle}
            open={open}
          />
        )}
      </aside>
    </div>
  );
}

const isMode = (mode: string | null): mode is 'plan' | 'geofence' => mode === 'plan' || mode === 'geofence';

const isVehicle = (device: LiveDevice): boolean =>
  PROFILES[device.peek().profile]?.capabilities.includes('missions') ?? false;

const placed = (device: LiveDevice) => {
  const position = positionOf(device.peek());
  return position === null ? [] : [{ facility: device.peek().location.facility, point: position.point }];
};
