import type { LabelChanges, Labels } from '@granary/contract/devices/labels';

/** Labels as a person reads and types them: `product=wheat, season=2026`. */
export const labelText = (labels: Labels = {}): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ');

/** The changes of a typed text; a name without a value removes its label. The service refuses a text that is not a label. */
export const labelChanges = (text: string): LabelChanges =>
  Object.fromEntries(
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '')
      .map((part) => {
        const [name = '', ...value] = part.split('=');
        return [name.trim(), value.join('=').trim() || null];
      }),
  );

/** The changes that turn the labels of one text into those of another. */
export function labelsChanged(before: string, now: string): LabelChanges {
  const old = labelChanges(before);
  const wanted = labelChanges(now);
  const removed = Object.keys(old).filter((name) => !Object.hasOwn(wanted, name));
  return {
    ...Object.fromEntries(Object.entries(wanted).filter(([name, value]) => old[name] !== value)),
    ...Object.fromEntries(removed.map((name) => [name, null])),
  };
}
