import type { Alert } from '@granary/contract/alerts';
import type { Labels } from '@granary/contract/devices/labels';
import type { EventType } from '@granary/contract/events';
import type { NoticeKind } from '@granary/contract/notifications';
import { MINUTE_MS } from '@granary/contract/time';
import { documentKind } from '../documents.ts';
import { isMatch, type RuleContent, roundMinutesOf, stepsOf } from './rule.ts';

/** The alert as it was, and its device, in case neither can be read later. */
export interface AlertSnapshot {
  readonly alert: Alert;
  readonly deviceId: string;
  readonly facility: string;
  readonly labels: Labels;
}

/** What the targets of one step of a rule have to be told, or were told, about one alert. */
export interface Notice {
  readonly kind: NoticeKind;
  /** When to tell the notice; `null` if it was told. */
  readonly dueAtMs: number | null;
  /** Whether the notice waits for the end of the quiet hours or for a summary. */
  readonly isHeld: boolean;
  /** The kind of notice that the targets were told last; `null` if none. */
  readonly toldKind: NoticeKind | null;
  readonly snapshot: AlertSnapshot;
}

/** An entry of the event log about an alert. */
export interface AlertEvent {
  readonly type: EventType;
  readonly atMs: number;
  readonly snapshot: AlertSnapshot;
}

/** The types of event that change notices. */
export const NOTICE_EVENT_TYPES: readonly EventType[] = [
  'alert.raised',
  'alert.severity_raised',
  'alert.status_changed',
  'alert.shelved',
  'alert.unshelved',
];

type Beginning = Exclude<NoticeKind, 'not_acknowledged' | 'over'>;

/** `taken_over` means that somebody has acknowledged or shelved the alert. */
type Meaning = Beginning | 'over' | 'taken_over';

const MEANING_OF_STATUS: Readonly<Record<Alert['status'], Meaning>> = {
  active: 'present_again',
  acknowledged: 'taken_over',
  cleared: 'over',
  resolved: 'over',
};

function meaningOf({ type, snapshot: { alert } }: AlertEvent): Meaning | null {
  if (type === 'alert.raised') return 'raised';
  if (type === 'alert.severity_raised') return 'severity_raised';
  if (type === 'alert.shelved') return 'taken_over';
  if (type === 'alert.status_changed') return MEANING_OF_STATUS[alert.status];
  return type === 'alert.unshelved' && alert.status === 'active' ? 'unshelved' : null;
}

/** The keys are steps: 0 stands for the targets of the rule, 1 and more for the steps of its escalation. */
export type NoticesBySteps = ReadonlyMap<number, Notice>;

/** The notices of a rule about one alert after an event; a notice that is no longer needed is missing. */
export function noticesAfter(rule: RuleContent, before: NoticesBySteps, event: AlertEvent): NoticesBySteps {
  const meaning = meaningOf(event);
  if (meaning === null) return before;
  const after = new Map<number, Notice>();
  if (meaning === 'over' || meaning === 'taken_over') {
    for (const [step, notice] of before) {
      const changed = meaning === 'over' ? whenOver(step, notice, event, rule) : whenTakenOver(notice);
      if (changed !== null) after.set(step, changed);
    }
    return after;
  }
  if (!rule.enabled || !isMatch(rule, event.snapshot.alert, event.snapshot)) return before;
  after.set(0, firstNotice(before.get(0), meaning, event));
  stepsOf(rule).forEach(({ afterMinutes }, i) => {
    const earlier = before.get(i + 1);
    const isFirst = afterMinutes === 0;
    after.set(
      i + 1,
      isFirst
        ? firstNotice(earlier, meaning, event)
        : escalationNotice(earlier, meaning, event, afterMinutes),
    );
  });
  return after;
}

function firstNotice(before: Notice | undefined, kind: Beginning, { atMs, snapshot }: AlertEvent): Notice {
  const anew: Notice = {
    kind,
    dueAtMs: atMs,
    isHeld: false,
    snapshot,
    toldKind: before?.toldKind ?? null,
  };
  if (before === undefined || before.dueAtMs === null || kind === 'severity_raised') return anew;
  // Nobody was told that the alert was over, so for the targets it is present without interruption.
  if (before.kind === 'over') return toldAgain(before, snapshot) ?? anew;
  return { ...before, snapshot };
}

/** An escalation that already waits is not postponed; one that waits for a summary is judged again with the new severity. */
function escalationNotice(
  before: Notice | undefined,
  kind: Beginning,
  { atMs, snapshot }: AlertEvent,
  minutes: number,
): Notice {
  if (before?.kind === 'not_acknowledged' && before.dueAtMs !== null) {
    const isJudgedAgain = before.isHeld && kind === 'severity_raised';
    return isJudgedAgain ? { ...before, dueAtMs: atMs, isHeld: false, snapshot } : { ...before, snapshot };
  }
  return {
    kind: 'not_acknowledged',
    dueAtMs: atMs + minutes * MINUTE_MS,
    isHeld: false,
    snapshot,
    toldKind: before?.toldKind ?? null,
  };
}

/** A notice that waits is told with the alert as it is then. Targets that were told nothing are not told that the alert is over. */
function whenOver(step: number, notice: Notice, event: AlertEvent, { resolved }: RuleContent): Notice | null {
  const { snapshot, atMs } = event;
  const wasTold = notice.toldKind !== null && notice.toldKind !== 'over';
  const isFirstWaiting = notice.kind !== 'not_acknowledged' && notice.dueAtMs !== null;
  if (wasTold && resolved && !isFirstWaiting) {
    return { ...notice, kind: 'over', dueAtMs: atMs, isHeld: false, snapshot };
  }
  const isAcknowledged = snapshot.alert.status === 'resolved';
  return step > 0 && isAcknowledged ? whenTakenOver(notice) : { ...notice, snapshot };
}

/** From now on nobody is told that the alert is not acknowledged. */
function whenTakenOver(notice: Notice): Notice | null {
  const isWaiting = notice.kind === 'not_acknowledged' && notice.dueAtMs !== null;
  return isWaiting ? toldAgain(notice, notice.snapshot) : notice;
}

/** The notice as it was told last; `null` if nothing was told. */
export const toldAgain = (notice: Notice, snapshot: AlertSnapshot): Notice | null =>
  notice.toldKind === null
    ? null
    : { ...notice, kind: notice.toldKind, dueAtMs: null, isHeld: false, snapshot };

/** The notice after it was told. Each person of a rota is told again after a round, while the alert is present and not acknowledged. */
export function told(
  notice: Notice,
  {
    rule,
    step,
    nowMs,
    alert,
  }: { rule: RuleContent; step: number; nowMs: number; alert: Alert['status'] | undefined },
): Notice {
  const after: Notice = { ...notice, dueAtMs: null, isHeld: false, toldKind: notice.kind };
  const minutes = roundMinutesOf(rule);
  if (minutes === null || step === 0 || alert !== 'active') return after;
  return { ...after, kind: 'not_acknowledged', dueAtMs: nowMs + minutes * MINUTE_MS };
}

/** The stored form of a notice. */
export const NOTICE_DOCUMENT = documentKind<Omit<Notice, 'dueAtMs'>>([], (content) => {
  if (typeof content['snapshot'] !== 'object') throw new Error('the notice has no alert');
});
