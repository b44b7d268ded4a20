import { convertUnit } from '@granary/common/units';
import type { Actor } from '@granary/contract/audit';
import type { FleetCommand, FleetMission, FleetOperation } from '@granary/contract/fleet';
import type { Refill } from '@granary/contract/foresight/refills';
import type { Route } from '../context/routes.ts';
import { formatMass, formatQuantity } from '../kit/format.ts';
import { locale, texts } from '../texts.ts';

export const JOB_KINDS = ['operations', 'missions', 'commands'] as const;
export type JobKind = (typeof JOB_KINDS)[number];

export const jobKindOf = (text: string | null): JobKind =>
  JOB_KINDS.find((kind) => kind === text) ?? 'operations';

export interface JobQuery<Status> {
  readonly status?: Status;
  readonly facility?: string;
  readonly device_id?: string;
}

/** The filters in the address, in the form of the API. */
export function jobQuery<Status extends string>(
  { query }: Pick<Route, 'query'>,
  statuses: readonly Status[],
): JobQuery<Status> {
  const status = statuses.find((one) => one === query.get('status'));
  const facility = query.get('facility');
  const deviceId = query.get('device');
  return {
    ...(status === undefined ? {} : { status }),
    ...(facility ? { facility } : {}),
    ...(deviceId ? { device_id: deviceId } : {}),
  };
}

/** The person, or the key if no person is named, and who confirmed the request; `null` if nobody made it through the service. */
export const nameOf = (actor: Actor | null): string | null =>
  actor === null ? null : withConfirmer(actor.actor ?? actor.key_name, actor);

/** Adds the second person who has confirmed a request. */
const withConfirmer = (text: string, { confirmed_by }: Actor): string =>
  confirmed_by === undefined
    ? text
    : texts.value.operations.confirmedBy({ name: text, second: confirmed_by.name });

/**
 * The person with the key or terminal that they used, because several people share one and a name is not proved. A personal key
 * may act without its owner.
 */
export function actorText(actor: Actor | null): string | null {
  if (actor === null) return null;
  const { proposed_by } = actor;
  const text = withConfirmer(callerText(actor), actor);
  return proposed_by === undefined
    ? text
    : `${text} (${texts.value.proposals.by({ name: proposed_by.agent ?? proposed_by.name })})`;
}

function callerText(actor: Actor): string {
  const { key_id, key_name, terminal, by_key, agent } = actor;
  if (agent !== undefined) return `${agent} · ${key_name}`;
  if (terminal !== undefined) {
    return `${key_name} · ${terminal.key_id === key_id ? texts.value.terminals.nobody : terminal.name}`;
  }
  if (by_key !== undefined) return `${key_name} · ${by_key.name}`;
  return actor.actor === null ? key_name : `${actor.actor} · ${key_name}`;
}

/** How long a job has taken until its end, or until now. */
export const tookMs = (startedAt: string, endedAt: string | null, nowMs: number): number =>
  Math.max(0, (endedAt === null ? nowMs : Date.parse(endedAt)) - Date.parse(startedAt));

/**
 * Whether a declaration is offered: the outcome is uncertain, and a stop was tried where one is possible. The service decides, and says
 * from when on it accepts one.
 */
export const canDeclareOperation = ({ status }: Pick<FleetOperation, 'status'>): boolean =>
  status === 'unconfirmed' || status === 'stopping';

export const canDeclareMission = ({
  status,
  requested,
  link_lost_at,
}: Pick<FleetMission, 'status' | 'requested' | 'link_lost_at'>): boolean =>
  (status === 'dispatched' || status === 'in_progress' || status === 'paused') &&
  (requested === 'cancel' || link_lost_at !== null);

export const canDeclareCommand = ({ status }: Pick<FleetCommand, 'status'>): boolean =>
  status === 'timed_out' || status === 'sent' || status === 'executing';

/** The level to which an operation leads, in percent of the capacity; `null` if it is not known, or while the operation is being stopped. */
export function levelAtEnd(
  { type, status, amount_target, amount_completed, unit }: TargetedOperation,
  levelNow: number,
  capacityKg: number,
): number | null {
  if (type === null || amount_target === null || capacityKg <= 0) return null;
  if (status !== 'started' && status !== 'in_progress') return null;
  const leftKg = convertUnit(Math.max(0, amount_target - (amount_completed ?? 0)), unit, 'kg') ?? 0;
  const change = ((type === 'feed' ? leftKg : -leftKg) / capacityKg) * 100;
  return Math.min(100, Math.max(0, levelNow + change));
}

type TargetedOperation = Pick<
  FleetOperation,
  'type' | 'status' | 'amount_target' | 'amount_completed' | 'unit'
>;

/** With the device, bushels are those of the product of the silo. */
type NamedOperation = Pick<FleetOperation, 'type' | 'amount_target' | 'unit' | 'target_container'> & {
  readonly device_id?: string;
};

/** The amount that an operation is to move, such as "500 kg"; empty if it is not known. */
export const amountText = ({
  amount_target,
  unit,
  device_id,
}: Pick<NamedOperation, 'amount_target' | 'unit' | 'device_id'>): string =>
  amount_target === null ? '' : formatQuantity(amount_target, unit, locale.value, device_id ?? null);

/** The title of an operation, such as "Discharge 500 kg into Truck 7". */
export function operationTitle(operation: NamedOperation): string {
  const words = texts.value.operations;
  const { type, target_container } = operation;
  return [
    type === null ? words.unknownType : words.types[type],
    amountText(operation),
    target_container === null ? '' : words.into({ target: target_container }),
  ]
    .filter((part) => part !== '')
    .join(' ');
}

/** The title of a refill, such as "Refill 3.2 t". */
export const refillTitle = ({ device_id, kg }: Pick<Refill, 'device_id' | 'kg'>): string =>
  `${texts.value.foresight.refill} ${formatMass(kg, locale.value, device_id)}`;
