import { numericTime } from '@granary/common/time-text';
import { ALERT_SEVERITIES, type Alert, type AlertSeverity } from '@granary/contract/alerts';
import type { NoticeKind, NotificationRecord } from '@granary/contract/notifications';
import { aboutAddress, alertsAddress } from '@granary/contract/page-addresses';
import { ENGLISH } from '@granary/contract/sentences/english';
import { written } from '@granary/contract/sentences/writing';
import { checkedTimeMs, DAY_MS, HOUR_MS, MINUTE_MS } from '@granary/contract/time';
import type { StoredRule } from './rule.ts';

/** A message lists at most this many alerts; the list of alerts has the others. */
export const ALERTS_TOLD_MAX = 100;
const SUBJECT_CHARS_MAX = 160;
/** A command with more ids does not fit into a line that a person copies. */
const ACKNOWLEDGED_TOGETHER_MAX = 20;
const SEVERITY_WORDS: Readonly<Record<AlertSeverity, string>> = {
  info: 'Information',
  warning: 'Warning',
  critical: 'Critical',
};
const KIND_WORDS: Readonly<Record<NoticeKind, string>> = {
  raised: '',
  severity_raised: 'More severe: ',
  present_again: 'Again: ',
  unshelved: 'No longer shelved: ',
  not_acknowledged: 'Not acknowledged: ',
  over: '',
};

/** The subject of a message. Messages that people can cause in any number never delay a message about an alert. */
export type MessageKind = 'critical_alert' | 'alert' | 'operation' | 'guessed' | 'report' | 'test';

/** An alert as it is now, in words for a person. */
export interface ToldAlert {
  readonly kind: NoticeKind;
  readonly alert: Alert;
  readonly deviceId: string;
  readonly deviceName: string;
  readonly facility: string;
  readonly zone: string;
  /** The time zone of its site. */
  readonly timeZone: string;
}

export interface Message {
  readonly kind: MessageKind;
  readonly subject: string;
  readonly text: string;
  readonly alerts: NotificationRecord['alerts'];
  readonly alertCount: number;
  /** The alerts of the list above, for programs. */
  readonly told: readonly ToldAlert[];
}

/** The settings that decide how people read a message. */
export interface Readers {
  /** Where people reach the operators' page; `null` if it is off, or its address is not known. */
  readonly consoleUrl: string | null;
  /** The time zone of the service, for devices of sites that name none. */
  readonly timeZone: string;
}

export interface MessageContext extends Readers {
  readonly rule: StoredRule;
  readonly step: number;
  readonly nowMs: number;
}

/** The message about one alert, or a summary of several. */
export function messageOf(told: readonly ToldAlert[], context: MessageContext): Message {
  const ordered = told.toSorted((a, b) => rank(a) - rank(b));
  const [first] = ordered;
  if (first === undefined) throw new Error('a message needs an alert');
  const listed = ordered.slice(0, ALERTS_TOLD_MAX);
  const paragraphs = [
    ...(ordered.length === 1 ? [] : [`${summaryText(ordered)}.`]),
    ...listed.map((one) => alertText(one, context)),
    ...(listed.length < ordered.length ? [`And ${ordered.length - listed.length} more.`] : []),
    ...nextStepText(ordered, context),
    reasonText(context),
  ];
  const isCritical = ordered.some(({ kind, alert }) => alert.severity === 'critical' && kind !== 'over');
  return {
    kind: isCritical ? 'critical_alert' : 'alert',
    subject: subjectText(ordered.length === 1 ? titleOf(first) : summaryText(ordered)),
    text: `${paragraphs.join('\n\n')}\n`,
    alerts: listed.map(({ kind, alert, deviceId }) => ({
      alert_id: alert.alert_id,
      device_id: deviceId,
      kind,
    })),
    alertCount: ordered.length,
    told: listed,
  };
}

/** The message of a test, which tells no alert. */
export const testMessage = (context: MessageContext): Message => ({
  kind: 'test',
  subject: subjectText(`Test of the notification rule ${context.rule.content.name}`),
  text: `This is a test. Alerts of this rule will reach you here.\n\n${reasonText(context)}\n`,
  alerts: [],
  alertCount: 0,
  told: [],
});

interface Identified {
  readonly notificationId: string;
  readonly ruleId: string;
  readonly step: number;
  readonly content: { readonly ruleName: string };
}

/** The content for a webhook: the text for people, and the alerts as the API shows them. */
export const webhookPayload = (
  { subject, text, alertCount, told }: Message,
  { notificationId, ruleId, step, content }: Identified,
) => ({
  notification_id: notificationId,
  rule_id: ruleId,
  rule_name: content.ruleName,
  step,
  subject,
  text,
  alert_count: alertCount,
  alerts: told.map(({ kind, alert, deviceId, deviceName, facility, zone }) => ({
    kind,
    device_id: deviceId,
    device_name: deviceName,
    location: { facility, zone },
    alert,
  })),
});

export const isOver = ({ status }: Pick<Alert, 'status'>): boolean =>
  status === 'cleared' || status === 'resolved';

/** The most severe of the present alerts come first. */
const rank = ({ alert }: ToldAlert): number =>
  (isOver(alert) ? ALERT_SEVERITIES.length : 0) - ALERT_SEVERITIES.indexOf(alert.severity);

function titleOf(told: ToldAlert): string {
  const { kind, alert, deviceName, timeZone } = told;
  const state = isOver(alert) ? 'Over: ' : '';
  const message = messageText(alert, timeZone);
  return `${state}${KIND_WORDS[kind]}${SEVERITY_WORDS[alert.severity]}: ${deviceName} (${placeOf(told)}): ${message}`;
}

/** The zone of a device that was removed meanwhile is not known. */
const placeOf = ({ facility, zone }: ToldAlert): string => (zone === '' ? facility : `${facility}, ${zone}`);

function summaryText(told: readonly ToldAlert[]): string {
  const over = told.filter(({ alert }) => isOver(alert)).length;
  const present = ALERT_SEVERITIES.toReversed().flatMap((severity) => {
    const count = told.filter(({ alert }) => alert.severity === severity && !isOver(alert)).length;
    return count === 0 ? [] : [`${count} ${severity}`];
  });
  return `${told.length} alerts: ${[...present, ...(over === 0 ? [] : [`${over} over`])].join(', ')}`;
}

function alertText(told: ToldAlert, context: MessageContext): string {
  const { alert, deviceName, deviceId, timeZone } = told;
  const createdAtMs = checkedTimeMs(alert.created_at);
  const lines = [
    oneLine(titleOf(told)),
    `  Device: ${oneLine(deviceName)} (${deviceId})`,
    `  Place: ${oneLine(placeOf(told))}`,
    `  Since: ${timeText(createdAtMs, timeZone)}, ${agoText(context.nowMs - createdAtMs)}`,
    `  State: ${stateText(alert, timeZone)}`,
  ];
  const { consoleUrl } = context;
  const { about } = alert;
  if (about !== undefined) {
    const address = consoleUrl === null ? '' : `: ${consoleUrl}/${aboutAddress(deviceId, about)}`;
    lines.push(`  About: ${about.kind} ${oneLine(about.id)}${address}`);
  }
  if (consoleUrl !== null) lines.push(`  Open it: ${consoleUrl}/${alertsAddress(deviceId, isOver(alert))}`);
  return lines.join('\n');
}

function stateText(alert: Alert, timeZone: string): string {
  const at = (time: string | null): string =>
    time === null ? '' : ` at ${timeText(checkedTimeMs(time), timeZone)}`;
  const parts = [
    isOver(alert) ? `over since${at(alert.cleared_at ?? alert.resolved_at).slice(3)}` : 'present',
  ];
  parts.push(
    alert.acknowledged_by === null
      ? 'not acknowledged'
      : `acknowledged by ${oneLine(alert.acknowledged_by)}${at(alert.acknowledged_at)}`,
  );
  if (alert.shelved_until !== null) parts.push(`shelved until${at(alert.shelved_until).slice(3)}`);
  return parts.join(', ');
}

/** Says how to acknowledge; without the operators' page, at the command line. */
function nextStepText(told: readonly ToldAlert[], { consoleUrl }: MessageContext): string[] {
  const open = told.filter(({ alert }) => alert.acknowledged_by === null && alert.status !== 'resolved');
  if (consoleUrl !== null) {
    if (told.length > 1) return [`All alerts: ${consoleUrl}/#/alerts`];
    return open.length === 0 ? [] : ['Acknowledge it there, so that others know that you see to it.'];
  }
  if (open.length === 0) return [];
  if (open.length > ACKNOWLEDGED_TOGETHER_MAX) {
    return ['To see and acknowledge them, at the command line:\n  granary alerts'];
  }
  const command = ['granary ack', ...open.map(({ alert }) => alert.alert_id)].join(' ');
  return [`To acknowledge ${open.length === 1 ? 'it' : 'them'}, at the command line:\n  ${command}`];
}

function reasonText({ rule, step }: MessageContext): string {
  const why =
    step === 0
      ? ''
      : `, ${rule.content.rota === null ? `step ${step} of its escalation` : `place ${step} of its rota`}`;
  return `You get this because of the notification rule ${oneLine(rule.content.name)}${why}.`;
}

/** Names come from outside: a line break in a name must not begin a new line, or in a subject a new header. */
const oneLine = (text: string): string =>
  text.replace(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu, ' ');

function subjectText(text: string): string {
  // Mail programs would decode what looks like an encoded word.
  const line = oneLine(text).replaceAll('=?', '= ?');
  const characters = [...line];
  return characters.length <= SUBJECT_CHARS_MAX
    ? line
    : `${characters.slice(0, SUBJECT_CHARS_MAX - 1).join('')}…`;
}

/** A time for a person, such as `2026-11-15 22:10 (Europe/Berlin)`. */
export const timeText = (instantMs: number, timeZone: string): string =>
  `${numericTime(instantMs, timeZone)} (${timeZone})`;

/** The text of an alert, with times in this zone. */
export const messageText = (
  {
    message,
    message_code: code,
    message_values: values,
  }: Pick<Alert, 'message' | 'message_code' | 'message_values'>,
  timeZone: string,
): string =>
  written({ code, values }, { ...ENGLISH, time: (time) => timeText(Date.parse(time), timeZone) }) ?? message;

/** How long ago something happened, in the largest unit. */
export function agoText(ms: number): string {
  const units = [
    [DAY_MS, 'day'],
    [HOUR_MS, 'hour'],
    [MINUTE_MS, 'minute'],
  ] as const;
  const unit = units.find(([size]) => ms >= size);
  if (unit === undefined) return 'just now';
  const count = Math.floor(ms / unit[0]);
  return `${count} ${unit[1]}${count === 1 ? '' : 's'} ago`;
}
