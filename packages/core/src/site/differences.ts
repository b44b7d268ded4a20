import type { Difference } from '@granary/contract/audit';
import type { CHANGE_ACTIONS } from '@granary/contract/site';

const VALUE_CHARS_MAX = 60;

type Members = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The differences of two JSON values. A list counts as one value, because its entries have no names. */
export function differences(before: unknown, after: unknown, path = ''): Difference[] {
  if (isObject(before) && isObject(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...names].flatMap((name) => differences(before[name], after[name], `${path}/${name}`));
  }
  if (isSame(before, after)) return [];
  return [{ path, before: before ?? null, after: after ?? null }];
}

function isSame(before: unknown, after: unknown): boolean {
  if (Array.isArray(before) && Array.isArray(after)) {
    return before.length === after.length && before.every((item, index) => isSame(item, after[index]));
  }
  if (isObject(before) && isObject(after)) return differences(before, after).length === 0;
  return (before ?? null) === (after ?? null);
}

/** The difference as one line for a person: `~ silo-1 /capacity/max: 20000 → 25000`. */
export function differenceLine(id: string, { path, before, after }: Difference): string {
  return `~ ${id} ${path}: ${short(before)} → ${short(after)}`;
}

function short(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > VALUE_CHARS_MAX ? `${text.slice(0, VALUE_CHARS_MAX)}…` : text;
}

/** The planned result of one entry of a document. */
export interface Planned<After> {
  readonly after: After;
  readonly action: (typeof CHANGE_ACTIONS)[number];
  readonly differences: readonly Difference[];
}
