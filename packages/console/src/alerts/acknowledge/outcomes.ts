import { signal } from '@preact/signals';
import type { Acknowledged } from './acknowledge.ts';

const SHOWN_MS = 15_000;

/** What a person must know of their last acknowledgement: somebody else was first, or alerts are gone. `null`: nothing. */
export const lastOutcome = signal<Acknowledged | null>(null);

export function tellOutcome(acknowledged: Acknowledged): void {
  const isWorthTelling = acknowledged.byOthers.length > 0 || acknowledged.missing > 0;
  lastOutcome.value = isWorthTelling ? acknowledged : null;
  if (!isWorthTelling) return;
  setTimeout(() => {
    if (lastOutcome.peek() === acknowledged) lastOutcome.value = null;
  }, SHOWN_MS);
}
