import type { Point } from '@granary/contract/positions';
import type { Signal } from '@preact/signals';
import { texts } from '../texts/texts.ts';
import { type Draft, type LegFaults, withChange, withoutWaypoint } from './mission-draft.ts';
import { DragHandle } from './surface/drag-handle.tsx';
import { pathOf } from './surface/projection.ts';
import { useView } from './surface/surface-context.ts';

interface Props {
  readonly draft: Signal<Draft>;
  /** Where the vehicle is; `null` where that is not known. */
  readonly from: Point | null;
  readonly base: Point | null;
  readonly faults: LegFaults | null;
}

/** The drawn mission: the way as a dashed line, the way back thinner, legs that are refused in the form of a warning. */
export function PlannerLayer({ draft, from, base, faults }: Props) {
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
          label={`${missions.waypoint(index + 1)}, ${missions.actions[waypoint.action]}`}
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
