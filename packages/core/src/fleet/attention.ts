import type { AlertType } from '@granary/contract/alerts';
import {
  ATTENTION_ITEMS_MAX,
  ATTENTION_REASONS,
  type AttentionCode,
  type AttentionReason,
  type Overview,
} from '@granary/contract/fleet';
import { sentence } from '@granary/contract/sentences/codes';
import { messageOf } from '@granary/contract/sentences/english';
import type { Sentence } from '@granary/contract/sentences/sentence';
import { toIso } from '@granary/contract/time';
import type { AlertState } from '../alerts/lifecycle.ts';
import { isUnconfirmedStop } from '../commands/emergency-stop.ts';
import { commandStatusDetail } from '../commands/sentences.ts';
import type { CommandState } from '../commands/state.ts';
import type { OperationState } from '../operations/state.ts';
import { statusDetail } from '../operations/status-detail.ts';

interface NamedDevice {
  readonly deviceId: string;
  readonly name: string;
}

/** A command, an operation or an alert, with the device that it belongs to. */
export type OfDevice<State> = NamedDevice & { readonly state: State };

/** The items that may need attention; of each kind the most urgent ones. */
export interface AttentionFacts {
  readonly emergencyStops: readonly OfDevice<CommandState>[];
  /** Operations that are `stopping` or `unconfirmed`. */
  readonly operations: readonly OfDevice<OperationState>[];
  /** Alerts that nobody has acknowledged. */
  readonly alerts: readonly OfDevice<AlertState>[];
  /** Offline devices with a job under way. */
  readonly offline: readonly (NamedDevice & { readonly lastSeenAtMs: number | null })[];
}

interface Candidate {
  readonly device: NamedDevice;
  readonly what: AttentionReason;
  readonly sinceMs: number;
  readonly message: Sentence<AttentionCode>;
  readonly id: string | null;
  /** The type of an alert; `null` for everything else. */
  readonly type: AlertType | null;
}

/** From this number on, alerts of one type are assumed to have one cause, and the first of them represents the others. */
const FLOOD_ALERTS_MIN = 10;

/**
 * The most urgent items come first; of the same urgency, the items that wait longest. If the list is too short for all, the
 * later ones of many alerts of one type give their places to other items.
 */
export function attentionList(
  facts: AttentionFacts,
  nowMs: number,
): Pick<Overview, 'attention' | 'attention_more'> {
  const stops = facts.emergencyStops.map(stopCandidate);
  const unconfirmed = new Set(
    stops.flatMap(({ what, device }) => (what === 'emergency_stop_unconfirmed' ? [device.deviceId] : [])),
  );
  const critical = new Set(
    facts.alerts.flatMap(({ deviceId, state }) => (state.type === 'critical_level' ? [deviceId] : [])),
  );
  // The alert about a listed stop would repeat the stop, and a low level would repeat a critical one.
  const alerts = facts.alerts.filter(
    ({ deviceId, state }) =>
      (state.type !== 'emergency_stop_unconfirmed' || !unconfirmed.has(deviceId)) &&
      (state.type !== 'low_level' || !critical.has(deviceId)),
  );
  const candidates: Candidate[] = [
    ...stops,
    ...facts.operations.map(operationCandidate),
    ...alerts.map(alertCandidate),
    ...facts.offline.map(({ lastSeenAtMs, ...device }) => ({
      device,
      what: 'offline_with_job' as const,
      sinceMs: lastSeenAtMs ?? nowMs,
      message: sentence('job_on_offline_device'),
      id: null,
      type: null,
    })),
  ];
  const ordered = candidates.toSorted(mostUrgentFirst);
  const alike = Map.groupBy(ordered, ({ what, type }) => `${what} ${type}`);
  const later = new Set(
    [...alike.values()].flatMap((ofKind) =>
      ofKind[0]?.type !== null && ofKind.length >= FLOOD_ALERTS_MIN ? ofKind.slice(1) : [],
    ),
  );
  const chosen = [...ordered.filter((one) => !later.has(one)), ...later].slice(0, ATTENTION_ITEMS_MAX);
  return {
    attention: chosen.sort(mostUrgentFirst).map(({ device, what, sinceMs, message, id }) => ({
      device_id: device.deviceId,
      name: device.name,
      what,
      since: toIso(sinceMs),
      ...messageOf(message),
      id,
    })),
    attention_more: candidates.length > ATTENTION_ITEMS_MAX,
  };
}

const mostUrgentFirst = (one: Candidate, other: Candidate): number =>
  urgency(one) - urgency(other) || one.sinceMs - other.sinceMs;

const urgency = ({ what }: Candidate): number => ATTENTION_REASONS.indexOf(what);

const stopCandidate = ({ state, ...device }: OfDevice<CommandState>): Candidate => ({
  device,
  what: isUnconfirmedStop(state) ? 'emergency_stop_unconfirmed' : 'emergency_stop_in_force',
  sinceMs: state.latchedSinceMs ?? state.createdAtMs,
  message: commandStatusDetail(state),
  id: state.commandId,
  type: null,
});

const operationCandidate = ({ state, ...device }: OfDevice<OperationState>): Candidate => {
  const isStopping = state.status === 'stopping';
  const stopRequestedAtMs = isStopping ? state.stopRequestedAtMs : null;
  return {
    device,
    what: isStopping ? 'stop_unconfirmed' : 'operation_unconfirmed',
    sinceMs: stopRequestedAtMs ?? state.lastHeardAtMs ?? state.startedAtMs,
    message: statusDetail(state),
    id: state.operationId,
    type: null,
  };
};

const alertCandidate = ({ state, ...device }: OfDevice<AlertState>): Candidate => ({
  device,
  what: state.severity === 'critical' ? 'critical_alert' : 'warning_alert',
  sinceMs: state.createdAtMs,
  message: state.message,
  id: state.alertId,
  type: state.type,
});
