import type { FleetAlert } from '@granary/contract/fleet/records';
import { isUnacknowledged } from '../summary.ts';

/** Tells when a critical alert has come that was not there before. */
export class NewCritical {
  #known: ReadonlySet<string> | null = null;

  /** Those that are there when the page opens are not new. */
  hasNew(alerts: Iterable<FleetAlert>): boolean {
    const now = new Set(
      [...alerts]
        .filter((alert) => alert.severity === 'critical' && isUnacknowledged(alert))
        .map(({ alert_id }) => alert_id),
    );
    const known = this.#known;
    this.#known = now;
    return known !== null && [...now].some((id) => !known.has(id));
  }
}
