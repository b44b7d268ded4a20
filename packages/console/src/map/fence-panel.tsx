import { ApiError } from '@granary/client';
import type { Point } from '@granary/contract/positions';
import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { callOptions, useConsole } from '../context/console.ts';
import { Button } from '../kit/button.tsx';
import { useAction } from '../kit/form-state.ts';
import { Failure, Notice } from '../kit/messages.tsx';
import { NumberBox } from '../kit/number-input.tsx';
import { set } from '../kit/set.ts';
import { texts } from '../texts.ts';
import {
  CORNERS_MIN,
  type Corner,
  type FenceDraft,
  fenceDraft,
  geofenceOf,
  withCorner,
  withMovedCorner,
  withoutCorner,
} from './fence-draft.ts';
import { FenceImport } from './fence-import.tsx';
import { DragHandle } from './surface/drag-handle.tsx';
import { pathOf } from './surface/projection.ts';
import { useView } from './surface/surface-context.ts';
import { useFieldConfiguration } from './vehicle-ground.tsx';

const STALE = 412;

interface Props {
  readonly deviceId: string;
  readonly name: string;
  readonly fence: Signal<FenceDraft | null>;
  /** The place of a corner that is added without pressing on the map. */
  readonly middle: () => Point;
  readonly onClose: () => void;
}

/** Shows the corners of the geofence as a list. The geofence is saved only over the version that was read. */
export function FencePanel({ deviceId, name, fence, middle, onClose }: Props) {
  const console = useConsole();
  const { map, common } = texts.value;
  const { value: read, failure: unread } = useFieldConfiguration(deviceId);
  const etag = useSignal<string | null>(null);
  const { run, isRunning, failure, forget } = useAction();
  const takeOver = (): void => {
    if (read === undefined || read === null) return;
    fence.value = fenceDraft(read.configuration.geofence);
    etag.value = read.etag;
    forget();
  };
  useEffect(() => {
    if (fence.peek() === null) takeOver();
  }, [read]);
  useEffect(() => () => set(fence, null), []);
  const draft = fence.value;
  if (draft === null) return unread === null ? <Notice>{map.geofence}</Notice> : <Failure of={unread} />;
  const { corners } = draft;
  const isStale = failure instanceof ApiError && failure.status === STALE;
  const hasChangedElsewhere = read?.etag !== etag.value;
  const save = (geofence: Point[] | null) =>
    run(async () => {
      const { client } = console;
      const options = { ...callOptions(console), ...(etag.value === null ? {} : { ifMatch: etag.value }) };
      await client.configuration.field.update(deviceId, { geofence }, options);
      onClose();
    });
  return (
    <form
      class="map-planner"
      onSubmit={(event) => {
        event.preventDefault();
        void save(geofenceOf(draft));
      }}
    >
      <h2 class="free-text">{map.geofenceOf({ name })}</h2>
      <p class="muted">{map.howToDraw}</p>
      <FenceImport fence={fence} />
      <ol class="map-waypoints">
        {corners.map((corner, index) => (
          <CornerRow key={corner.id} fence={fence} corner={corner} index={index} />
        ))}
      </ol>
      <Button onPress={() => set(fence, withCorner(draft, middle()))}>{map.addCorner}</Button>
      <p>{corners.length === 0 ? map.withoutGeofence : map.geofenceMeans}</p>
      {(isStale || hasChangedElsewhere) && (
        <div class="map-confirm" role="alert">
          <p>{map.changedElsewhere}</p>
          <Button onPress={takeOver}>{map.takeOver}</Button>
        </div>
      )}
      {!isStale && <Failure of={failure} />}
      <div class="buttons">
        <Button
          kind="primary"
          type="submit"
          isBusy={isRunning}
          isChange
          isDisabled={corners.length > 0 && corners.length < CORNERS_MIN}
        >
          {corners.length === 0 ? map.removeGeofence : map.saveGeofence({ corners: corners.length })}
        </Button>
        <Button onPress={onClose}>{common.cancel}</Button>
      </div>
    </form>
  );
}

interface CornerRowProps {
  readonly fence: Signal<FenceDraft | null>;
  readonly corner: Corner;
  readonly index: number;
}

function CornerRow({ fence, corner, index }: CornerRowProps) {
  const { map, missions } = texts.value;
  const name = map.corner({ number: index + 1 });
  const change = (edit: (draft: FenceDraft) => FenceDraft): void => {
    const draft = fence.peek();
    if (draft !== null) fence.value = edit(draft);
  };
  return (
    <li class="map-corner">
      <span class="number">{index + 1}</span>
      <CoordinateInput
        label={`${name}: ${missions.latitude}`}
        value={corner.lat}
        max={90}
        onChange={(lat) => change((draft) => withMovedCorner(draft, corner.id, { lat, lng: corner.lng }))}
      />
      <CoordinateInput
        label={`${name}: ${missions.longitude}`}
        value={corner.lng}
        max={180}
        onChange={(lng) => change((draft) => withMovedCorner(draft, corner.id, { lat: corner.lat, lng }))}
      />
      <Button
        kind="quiet"
        label={`${name}: ${missions.remove}`}
        onPress={() => change((draft) => withoutCorner(draft, corner.id))}
      >
        ✕
      </Button>
    </li>
  );
}

/** Draws the geofence that is edited, with a handle at each corner. */
export function FenceLayer({ fence }: { readonly fence: Signal<FenceDraft | null> }) {
  const view = useView();
  const { map } = texts.value;
  const draft = fence.value;
  if (draft === null) return null;
  return (
    <g class="map-fence">
      <path d={`${pathOf(draft.corners, view)}z`} />
      {draft.corners.map((corner, index) => (
        <DragHandle
          key={corner.id}
          at={corner}
          kind="corner"
          label={map.corner({ number: index + 1 })}
          onMove={(to) => set(fence, withMovedCorner(fence.peek() ?? draft, corner.id, to))}
          onRemove={() => set(fence, withoutCorner(fence.peek() ?? draft, corner.id))}
        >
          <rect class="body" x="-7" y="-7" width="14" height="14" />
        </DragHandle>
      ))}
    </g>
  );
}

interface CoordinateInputProps {
  readonly label: string;
  readonly value: number;
  /** The largest value of the latitude or longitude, to the south and west as well. */
  readonly max: number;
  /** Called only with numbers in the range. */
  readonly onChange: (value: number) => void;
}

const CoordinateInput = ({ label, value, max, onChange }: CoordinateInputProps) => (
  <NumberBox
    name={label}
    min={-max}
    max={max}
    isRequired
    tells="left"
    value={String(value)}
    onValue={(text) => onChange(Number(text))}
  />
);
