import type { WaypointAction } from '@granary/contract/missions';
import { WAYPOINT_ACTIONS } from '@granary/contract/outline';
import type { Signal } from '@preact/signals';
import { Button } from '../kit/button.tsx';
import { NumberInput } from '../kit/number-input.tsx';
import { set } from '../kit/set.ts';
import { texts } from '../texts.ts';
import { type Draft, type DraftWaypoint, withChange, withOrder, withoutWaypoint } from './mission-draft.ts';

/** The type of a dragged waypoint, so that nothing else can be dropped on the list. */
const DRAGGED = 'application/x-waypoint';

const SECONDS_MAX = 86_400;

interface Props {
  readonly draft: Signal<Draft>;
  readonly waypoint: DraftWaypoint;
  readonly index: number;
  /** The reason in words why the mission would be refused for this waypoint. */
  readonly fault: string | null;
}

/** One waypoint in the list; the selected one shows all its fields. */
export function WaypointRow({ draft, waypoint, index, fault }: Props) {
  const { missions } = texts.value;
  const { id, action } = waypoint;
  const name = missions.waypoint({ number: index + 1 });
  const isSelected = draft.value.selectedId === id;
  const change = (fields: Partial<DraftWaypoint>): void => set(draft, withChange(draft.peek(), id, fields));
  const select = (): void => set(draft, { ...draft.peek(), selectedId: isSelected ? null : id });
  const moveTo = (place: number): void => set(draft, withOrder(draft.peek(), id, place));
  return (
    <li
      class={`map-waypoint ${isSelected ? 'selected' : ''}`}
      draggable
      onDragStart={(event) => event.dataTransfer?.setData(DRAGGED, String(id))}
      onDragOver={(event) => {
        if (event.dataTransfer?.types.includes(DRAGGED) === true) event.preventDefault();
      }}
      onDrop={(event) => {
        event.preventDefault();
        const dragged = Number(event.dataTransfer?.getData(DRAGGED));
        draft.value = withOrder(draft.peek(), dragged, index);
      }}
    >
      <div class="summary">
        <button type="button" class="open" aria-expanded={isSelected} aria-label={name} onClick={select}>
          <span class={`number ${fault === null ? '' : 'refused'}`}>{index + 1}</span>
        </button>
        <select
          aria-label={`${name}: ${missions.action}`}
          value={action}
          onChange={({ currentTarget }) => change({ action: currentTarget.value as WaypointAction })}
        >
          {WAYPOINT_ACTIONS.map((one) => (
            <option key={one} value={one}>
              {missions.actions[one]}
            </option>
          ))}
        </select>
        <Button
          kind="quiet"
          label={`${name}: ${missions.earlier}`}
          isDisabled={index === 0}
          onPress={() => moveTo(index - 1)}
        >
          ↑
        </Button>
        <Button
          kind="quiet"
          label={`${name}: ${missions.later}`}
          isDisabled={index === draft.value.waypoints.length - 1}
          onPress={() => moveTo(index + 1)}
        >
          ↓
        </Button>
        <Button
          kind="quiet"
          label={`${name}: ${missions.remove}`}
          onPress={() => set(draft, withoutWaypoint(draft.peek(), id))}
        >
          ✕
        </Button>
      </div>
      {fault !== null && <p class="fault">{fault}</p>}
      {isSelected && <WaypointFields waypoint={waypoint} change={change} />}
    </li>
  );
}

interface FieldsProps {
  readonly waypoint: DraftWaypoint;
  readonly change: (fields: Partial<DraftWaypoint>) => void;
}

function WaypointFields({ waypoint, change }: FieldsProps) {
  const { missions } = texts.value;
  return (
    <div class="fields">
      <NumberField
        label={missions.latitude}
        value={waypoint.lat}
        range={[-90, 90]}
        onChange={(lat) => lat !== null && change({ lat })}
      />
      <NumberField
        label={missions.longitude}
        value={waypoint.lng}
        range={[-180, 180]}
        onChange={(lng) => lng !== null && change({ lng })}
      />
      <NumberField
        label={missions.altitude}
        hint={missions.altitudeHint}
        value={waypoint.altitude}
        range={[-500, 10_000]}
        onChange={(altitude) => change({ altitude })}
      />
      <NumberField
        label={missions.waitSeconds}
        value={waypoint.waitSeconds}
        range={[0, SECONDS_MAX]}
        onChange={(waitSeconds) => change({ waitSeconds })}
      />
    </div>
  );
}

interface NumberFieldProps {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly value: number | null;
  readonly range: readonly [number, number];
  /** `null` where the field is empty. Called only with numbers in the range. */
  readonly onChange: (value: number | null) => void;
}

function NumberField({ label, hint, value, range: [min, max], onChange }: NumberFieldProps) {
  return (
    <NumberInput
      label={label}
      hint={hint}
      min={min}
      max={max}
      tells="left"
      value={value === null ? '' : String(value)}
      onValue={(text) => onChange(text === '' ? null : Number(text))}
    />
  );
}
