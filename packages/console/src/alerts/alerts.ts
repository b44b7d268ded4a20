import type { AlarmHelp } from '@granary/contract/alarm-help';
import type { AlertSeverity, AlertType } from '@granary/contract/alerts';
import type { FleetAlert, FleetDevice } from '@granary/contract/fleet';
import { ALERT_SEVERITIES, ALERT_TYPES } from '@granary/contract/outline';
import { shownAs } from '../context/units.ts';
import { formatNumber, unitSymbol } from '../kit/format.ts';

const UNITS: Readonly<Partial<Record<FleetAlert['type'], string>>> = {
  low_level: 'percent',
  high_level: 'percent',
  critical_level: 'percent',
  low_battery: 'percent',
};

/** A person can read fewer alerts than this one by one. */
const FLOOD_ALERTS_MIN = 10;

/** The lists of the view: the first two are always there and live, the others are read when they are opened. */
export const ALERT_LISTS = ['open', 'unacknowledged', 'shelved', 'history'] as const;
type AlertList = (typeof ALERT_LISTS)[number];

/** The filters of the view of alerts, which are in the address. */
export interface AlertFilter {
  readonly list: AlertList;
  readonly severity: AlertSeverity | null;
  readonly type: AlertType | null;
  readonly facility: string | null;
  readonly device: string | null;
}

/** An unknown value does not filter, so that an old address still shows something. */
export const alertFilterOf = (query: URLSearchParams): AlertFilter => ({
  list: ALERT_LISTS.find((one) => one === query.get('list')) ?? 'open',
  severity: ALERT_SEVERITIES.find((one) => one === query.get('severity')) ?? null,
  type: ALERT_TYPES.find((one) => one === query.get('type')) ?? null,
  facility: query.get('facility') || null,
  device: query.get('device') || null,
});

/** The alerts of the filter: first those that wait for a person, then by severity, then the newer ones. */
export function chosenAlerts(
  alerts: readonly FleetAlert[],
  { list, severity, type, facility, device }: AlertFilter,
  facilityOf: (deviceId: string) => string | undefined,
): FleetAlert[] {
  return alerts
    .filter(
      (alert) =>
        (list !== 'unacknowledged' || isUnacknowledged(alert)) &&
        (severity === null || alert.severity === severity) &&
        (type === null || alert.type === type) &&
        (device === null || alert.device_id === device) &&
        (facility === null || facilityOf(alert.device_id) === facility),
    )
    .sort(mostUrgentFirst);
}

/** The filters that the service applies to a list. */
export const queryOf = ({ list, severity, type, facility, device }: AlertFilter) => ({
  status: list === 'shelved' ? ('shelved' as const) : ('all' as const),
  ...(severity === null ? {} : { severity }),
  ...(type === null ? {} : { type }),
  ...(facility === null ? {} : { facility }),
  ...(device === null ? {} : { device_id: device }),
});

export function mostUrgentFirst(one: FleetAlert, other: FleetAlert): number {
  return (
    Number(isUnacknowledged(other)) - Number(isUnacknowledged(one)) ||
    urgencyOf(other) - urgencyOf(one) ||
    compared(other.created_at, one.created_at) ||
    compared(one.alert_id, other.alert_id)
  );
}

/** The urgency as a number; a greater one is more urgent. */
export const urgencyOf = ({ severity }: Pick<FleetAlert, 'severity'>): number =>
  ALERT_SEVERITIES.indexOf(severity);

const compared = (one: string, other: string): number => Number(one > other) - Number(one < other);

export interface AlertSummary {
  /** Open alerts that nobody has acknowledged. */
  readonly unacknowledged: Readonly<Record<AlertSeverity, number>>;
  /** The newest of the most severe alerts, critical or warning, which the alarm bar shows in words. */
  readonly foremost: FleetAlert | null;
}

export const isUnacknowledged = ({ status }: Pick<FleetAlert, 'status'>): boolean =>
  status === 'active' || status === 'cleared';

export function summaryOf(alerts: readonly FleetAlert[]): AlertSummary {
  const waiting = alerts.filter(isUnacknowledged);
  const counts = ALERT_SEVERITIES.map(
    (severity) => [severity, waiting.filter((alert) => alert.severity === severity).length] as const,
  );
  const newestOf = (wanted: AlertSeverity): FleetAlert | null =>
    waiting
      .filter(({ severity }) => severity === wanted)
      .reduce<FleetAlert | null>(
        (newest, alert) => (newest === null || alert.created_at > newest.created_at ? alert : newest),
        null,
      );
  return {
    unacknowledged: Object.fromEntries(counts) as Record<AlertSeverity, number>,
    foremost: newestOf('critical') ?? newestOf('warning'),
  };
}

interface HelpSubject {
  readonly facility: string | null;
  readonly rule: string | null;
}

/**
 * The most specific text about an alert, in this order: for its rule at its facility, for its rule, for its facility, for its
 * type. `null` if the site has none.
 */
export function helpFor(
  written: readonly AlarmHelp[],
  { type, facility, rule }: HelpSubject & { readonly type: AlertType },
): AlarmHelp | null {
  const specificity = (help: AlarmHelp): number =>
    2 * Number(help.rule !== null) + Number(help.facility !== null);
  const [best] = written
    .filter(
      (help) =>
        help.alert_type === type &&
        (help.rule === null || help.rule === rule) &&
        (help.facility === null || help.facility === facility),
    )
    .sort((one, other) => specificity(other) - specificity(one));
  return best ?? null;
}

/** The places for which a key may write a text about an alert, the least specific first. */
export function helpPlaces(
  { facility, rule }: HelpSubject,
  limits: { readonly facilities: readonly string[] | null; readonly device_ids: readonly string[] | null },
): HelpSubject[] {
  const isUnlimited = limits.facilities === null && limits.device_ids === null;
  const hasFacility = facility !== null && (isUnlimited || limits.facilities?.includes(facility) === true);
  const facilities = [...(isUnlimited ? [null] : []), ...(hasFacility ? [facility] : [])];
  return [null, ...(rule === null ? [] : [rule])].flatMap((of) =>
    facilities.map((at) => ({ facility: at, rule: of })),
  );
}

/** Several alerts of one type, which usually have one cause. */
export interface Flood {
  readonly type: AlertType;
  readonly severity: AlertSeverity;
  readonly count: number;
  readonly deviceIds: readonly string[];
}

/**
 * The types with so many waiting alerts that a list of them tells less than their number, the most severe first. A critical alert is
 * not part of a flood of warnings, because it needs another action.
 */
export function floodsOf(alerts: readonly FleetAlert[]): Flood[] {
  const byKind = Map.groupBy(alerts.filter(isUnacknowledged), ({ type, severity }) => `${type} ${severity}`);
  return [...byKind.values()]
    .flatMap((ofKind): Flood[] => {
      const [first] = ofKind;
      if (first === undefined || ofKind.length < FLOOD_ALERTS_MIN) return [];
      const { type, severity } = first;
      const deviceIds = [...new Set(ofKind.map(({ device_id }) => device_id))];
      return [{ type, severity, count: ofKind.length, deviceIds }];
    })
    .sort((one, other) => urgencyOf(other) - urgencyOf(one));
}

type About = Pick<FleetAlert, 'type' | 'current_value' | 'threshold' | 'sensor_id'>;

/** The measured value against its threshold, such as `90.5 / 90 %`; `null` for an alert that is not about a number. */
export function valueAgainstThreshold(
  { type, current_value, threshold, sensor_id }: About,
  readings: FleetDevice['readings'],
  language: string,
): string | null {
  if (current_value === null || threshold === null) return null;
  const unit = sensor_id === undefined ? UNITS[type] : readings?.[sensor_id]?.unit;
  const { unit: shownUnit, toShown } = shownAs(unit ?? '', null);
  const numbers = [current_value, threshold]
    .map(toShown)
    .map((value) => formatNumber(value, decimalsOf(value), language));
  return `${numbers.join(' / ')}${unit === undefined ? '' : ` ${unitSymbol(shownUnit)}`}`;
}

const decimalsOf = (value: number): number => (Number.isInteger(value) ? 0 : 1);
