import type { Point } from '@granary/contract/positions';
import type { Signal } from '@preact/signals';
import { moved, pointAt, pointOf, type ScreenPlace, type Viewport, zoomed } from './projection.ts';

/** A pointer that moves less than this has pressed the map and not dragged it. */
const PRESS_PX_MAX = 6;

const KEY_STEP_PX = 80;
const KEY_ZOOM = 1.5;

/** The change of the scale for each pixel of the wheel. */
const WHEEL_ZOOM = 1.0018;

const ZOOMS: Readonly<Record<string, number>> = { '+': KEY_ZOOM, '=': KEY_ZOOM, '-': 1 / KEY_ZOOM };

const MOVES: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [KEY_STEP_PX, 0],
  ArrowRight: [-KEY_STEP_PX, 0],
  ArrowUp: [0, KEY_STEP_PX],
  ArrowDown: [0, -KEY_STEP_PX],
};

/** Moves and zooms the map by one or two pointers, the wheel and the keyboard, and reports where it was pressed. */
export class Gestures {
  readonly #view: Signal<Viewport>;
  readonly #pointers = new Map<number, ScreenPlace>();
  #start: ScreenPlace | null = null;
  /** Called with the point where the map was pressed. */
  onPress: ((point: Point) => void) | undefined;

  constructor(view: Signal<Viewport>) {
    this.#view = view;
  }

  readonly down = (event: PointerEvent): void => {
    const place = placeOf(event);
    this.#start = this.#pointers.size === 0 && event.button === 0 ? place : null;
    this.#pointers.set(event.pointerId, place);
    (event.currentTarget as Element).setPointerCapture(event.pointerId);
  };

  readonly move = (event: PointerEvent): void => {
    const before = this.#pointers.get(event.pointerId);
    if (before === undefined) return;
    const place = placeOf(event);
    if (this.#start !== null && apart(place, this.#start) <= PRESS_PX_MAX) return;
    this.#start = null;
    this.#pointers.set(event.pointerId, place);
    const [other] = [...this.#pointers].flatMap(([id, at]) => (id === event.pointerId ? [] : [at]));
    this.#view.value =
      other === undefined
        ? moved(this.#view.peek(), place.x - before.x, place.y - before.y)
        : pinched(this.#view.peek(), before, place, other);
  };

  readonly up = (event: PointerEvent): void => {
    this.#pointers.delete(event.pointerId);
    if (this.#start !== null && event.type === 'pointerup') {
      this.onPress?.(pointAt(this.#start, this.#view.peek()));
    }
    this.#start = null;
  };

  readonly wheel = (event: WheelEvent): void => {
    event.preventDefault();
    this.#view.value = zoomed(this.#view.peek(), WHEEL_ZOOM ** -event.deltaY, placeOf(event));
  };

  readonly key = (event: KeyboardEvent): void => {
    if (event.target !== event.currentTarget) return;
    if (event.key === 'Enter' && this.onPress !== undefined) {
      event.preventDefault();
      this.onPress(pointOf(this.#view.peek().center));
      return;
    }
    const move = MOVES[event.key];
    const zoom = ZOOMS[event.key];
    if (move === undefined && zoom === undefined) return;
    event.preventDefault();
    const view = this.#view.peek();
    this.#view.value = zoom === undefined ? moved(view, ...(move ?? [0, 0])) : zoomed(view, zoom);
  };
}

/** The position of an event, from the upper left corner of the map. */
export function placeOf({ clientX, clientY, currentTarget }: MouseEvent): ScreenPlace {
  const { left, top } = mapOf(currentTarget).getBoundingClientRect();
  return { x: clientX - left, y: clientY - top };
}

function mapOf(target: EventTarget | null): Element {
  const element = target as SVGElement;
  return element.ownerSVGElement ?? element;
}

const apart = (one: ScreenPlace, other: ScreenPlace): number => Math.hypot(one.x - other.x, one.y - other.y);

/** The ground follows both pointers, of which one has moved. */
function pinched(view: Viewport, before: ScreenPlace, after: ScreenPlace, other: ScreenPlace): Viewport {
  const factor = apart(after, other) / Math.max(1, apart(before, other));
  const middle = { x: (after.x + other.x) / 2, y: (after.y + other.y) / 2 };
  return zoomed(moved(view, (after.x - before.x) / 2, (after.y - before.y) / 2), factor, middle);
}
