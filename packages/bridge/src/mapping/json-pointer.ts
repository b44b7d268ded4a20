/**
 * A JSON pointer (RFC 6901) with one addition: the step `[key=value]` takes the first entry of a list whose field `key` has
 * this value, because some devices send their records in any order.
 */
type PointerStep =
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'entry'; readonly field: string; readonly value: string };
export type Pointer = readonly PointerStep[];

const STEPS_MAX = 16;

/** Parses a pointer; returns `null` for a text that is none. The empty text means the whole message. */
export function parsePointer(text: string): Pointer | null {
  if (text === '') return [];
  if (!text.startsWith('/')) return null;
  const steps = text.slice(1).split('/').map(parseStep);
  return steps.length <= STEPS_MAX && steps.every((step) => step !== null) ? steps : null;
}

function parseStep(text: string): PointerStep | null {
  if (/~(?![01])/.test(text)) return null;
  const key = text.replaceAll('~1', '/').replaceAll('~0', '~');
  if (!key.startsWith('[') || !key.endsWith(']')) return { kind: 'key', key };
  const equals = key.indexOf('=');
  if (equals < 2) return null;
  return { kind: 'entry', field: key.slice(1, equals), value: key.slice(equals + 1, -1) };
}

/** Returns the value at the pointer; `undefined` if there is none. Inherited fields do not count. */
export function pointed(pointer: Pointer, message: unknown): unknown {
  let at = message;
  for (const step of pointer) {
    at = step.kind === 'key' ? fieldOf(at, step.key) : entryOf(at, step.field, step.value);
    if (at === undefined) return undefined;
  }
  return at;
}

/**
 * Returns the text, number or boolean at the pointer as a text; `null` for everything else, because some objects cannot be
 * converted to a text.
 */
export const pointedText = (pointer: Pointer, message: unknown): string | null =>
  textOf(pointed(pointer, message));

const textOf = (value: unknown): string | null =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;

const fieldOf = (from: unknown, key: string): unknown =>
  typeof from === 'object' && from !== null && Object.hasOwn(from, key)
    ? (from as Readonly<Record<string, unknown>>)[key]
    : undefined;

const entryOf = (from: unknown, field: string, value: string): unknown =>
  Array.isArray(from) ? from.find((entry: unknown) => textOf(fieldOf(entry, field)) === value) : undefined;
