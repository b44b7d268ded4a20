import type { AttentionItem, AttentionReason, FleetAlert } from '@granary/contract/fleet';
import { ATTENTION_ITEMS_MAX } from '@granary/contract/outline';
import { type Flood, floodsOf, isUnacknowledged, urgencyOf } from '../alerts/alerts.ts';

/** What needs a person now; `others` is the number of further alerts that are not shown. */
export interface Attention {
  /** The types with many alerts, each shown once; the most severe first. */
  readonly floods: readonly Flood[];
  /** Stops, operations, devices and the other alerts; the most urgent first. */
  readonly lines: readonly AttentionLine[];
  readonly others: number;
}

type AttentionLine =
  | { readonly kind: 'alert'; readonly alert: FleetAlert }
  | { readonly kind: 'item'; readonly item: AttentionItem };

const isAlert = (what: AttentionReason): boolean => what === 'critical_alert' || what === 'warning_alert';

/**
 * Selects what is shown of the alerts that wait for a person and of the list of the service. Many alerts of one type become one line. Of
 * the others, each kind gets its first line before any kind gets its second, so that the only one of a kind is never left out because
 * there are many of another kind.
 */
export function attentionOf(alerts: readonly FleetAlert[], listed: readonly AttentionItem[]): Attention {
  const items = listed.filter(({ what }) => !isAlert(what));
  const stopping = new Set(
    items.flatMap(({ what, device_id }) => (what === 'emergency_stop_unconfirmed' ? [device_id] : [])),
  );
  const waiting = alerts.filter(
    (alert) =>
      isUnacknowledged(alert) &&
      alert.severity !== 'info' &&
      // This alert would say the same as the line of the stop itself.
      (alert.type !== 'emergency_stop_unconfirmed' || !stopping.has(alert.device_id)),
  );
  const floods = floodsOf(waiting);
  const isFlood = ({ type, severity }: FleetAlert): boolean =>
    floods.some((flood) => flood.type === type && flood.severity === severity);
  const single = waiting.filter((alert) => !isFlood(alert)).sort(mostUrgentFirst);
  const kinds = Map.groupBy(single, ({ type, rule, severity }) => `${type} ${rule ?? ''} ${severity}`);
  const firsts = [...kinds.values()].flatMap((ofKind) => ofKind.slice(0, 1));
  const seconds = [...kinds.values()].flatMap((ofKind) => ofKind.slice(1));
  const shown = [...firsts.sort(mostUrgentFirst), ...seconds.sort(mostUrgentFirst)]
    .slice(0, ATTENTION_ITEMS_MAX)
    .sort(mostUrgentFirst);
  const isBeforeAlerts = ({ what }: AttentionItem): boolean => BEFORE_ALERTS.has(what);
  const asLines = (some: readonly AttentionItem[]): AttentionLine[] =>
    some.map((item) => ({ kind: 'item', item }));
  const critical = shown.filter(({ severity }) => severity === 'critical');
  return {
    floods,
    lines: [
      ...asLines(items.filter(isBeforeAlerts)),
      ...critical.map((alert) => ({ kind: 'alert' as const, alert })),
      ...asLines(items.filter((item) => !isBeforeAlerts(item))),
      ...shown.slice(critical.length).map((alert) => ({ kind: 'alert' as const, alert })),
    ],
    others: single.length - shown.length,
  };
}

/** Stops that may not have stopped anything come before every alert; the other reasons come before warnings. */
const BEFORE_ALERTS: ReadonlySet<AttentionReason> = new Set<AttentionReason>([
  'emergency_stop_unconfirmed',
  'stop_unconfirmed',
]);

/** Among alerts of the same severity, those that wait longest come first. */
const mostUrgentFirst = (one: FleetAlert, other: FleetAlert): number =>
  urgencyOf(other) - urgencyOf(one) ||
  Number(one.created_at > other.created_at) - Number(one.created_at < other.created_at);
