import type { Point } from '@granary/contract/positions';
import type { ComponentChildren } from 'preact';
import { placeOf } from './gestures.ts';
import { pointAt, screenOf } from './projection.ts';
import { useViewSignal } from './surface-context.ts';

const KEY_STEP_PX = 8;
const KEY_MOVES: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-KEY_STEP_PX, 0],
  ArrowRight: [KEY_STEP_PX, 0],
  ArrowUp: [0, -KEY_STEP_PX],
  ArrowDown: [0, KEY_STEP_PX],
};

interface Props {
  readonly at: Point;
  readonly label: string;
  readonly kind: string;
  readonly onMove: (to: Point) => void;
  readonly onSelect?: () => void;
  readonly onRemove?: () => void;
  readonly children: ComponentChildren;
}

/** A point on the map that is moved by dragging or with the arrow keys, and removed with the delete key. */
export function DragHandle({ at, label, kind, onMove, onSelect, onRemove, children }: Props) {
  const view = useViewSignal();
  const { x, y } = screenOf(at, view.value);
  const drag = (event: PointerEvent): void => {
    event.stopPropagation();
    if (event.buttons !== 0) onMove(pointAt(placeOf(event), view.peek()));
  };
  const press = (event: KeyboardEvent): void => {
    const move = KEY_MOVES[event.key];
    if (event.key === 'Delete' || event.key === 'Backspace') onRemove?.();
    else if (move !== undefined) onMove(pointAt({ x: x + move[0], y: y + move[1] }, view.peek()));
    else return;
    event.preventDefault();
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a button of HTML cannot be inside a drawing
    <g
      class={`map-handle ${kind}`}
      transform={`translate(${x.toFixed(1)} ${y.toFixed(1)})`}
      tabindex={0}
      role="button"
      aria-label={label}
      onPointerDown={(event) => {
        event.stopPropagation();
        event.currentTarget.setPointerCapture(event.pointerId);
        onSelect?.();
      }}
      onPointerMove={drag}
      onPointerUp={(event) => event.stopPropagation()}
      onFocus={onSelect}
      onKeyDown={press}
    >
      <circle class="touch" r="22" />
      {children}
    </g>
  );
}
