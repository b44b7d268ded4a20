import type { OperationRecord } from '@granary/contract/operations';
import type { PushedItem, PushPayload } from '@granary/contract/push';
import { canAccess, type Limits } from '../keys.ts';
import { isOver, messageText, type ToldAlert } from './message.ts';

/** The limit for the text, because a push service takes 4,096 bytes with everything around it. */
const PAYLOAD_BYTES_MAX = 3_000;
const ITEMS_SENT_MAX = 3;

/** The content of a message to a browser, as codes with values. */
export interface Pushed {
  readonly about: PushPayload['about'];
  readonly items: readonly PushedItem[];
}

/** The push services that a browser may name; without this list anybody could make this service send requests to any address. */
const PUSH_SERVICES: readonly RegExp[] = [
  // Debian's Chromium uses the second one.
  /^(fcm\.googleapis|jmt17\.google)\.com$/,
  /^(updates\.push|[a-z0-9-]+\.push)\.services\.mozilla\.com$/,
  /^([a-z0-9-]+\.)*push\.apple\.com$/,
  /^([a-z0-9-]+\.)*notify\.windows\.com$/,
];

/** `further` are origins that the settings name. */
export function isPushService(endpoint: string, further: readonly string[]): boolean {
  const url = URL.parse(endpoint);
  if (url === null || url.username !== '' || url.password !== '') return false;
  if (further.includes(url.origin)) return true;
  return (
    url.protocol === 'https:' && url.port === '' && PUSH_SERVICES.some((host) => host.test(url.hostname))
  );
}

export const pushedAlerts = (told: readonly ToldAlert[]): Pushed => ({
  about: told.length === 0 ? 'test' : 'alerts',
  items: told.map(({ kind, alert, deviceId, deviceName, facility, timeZone }) => ({
    id: alert.alert_id,
    kind,
    severity: alert.severity,
    is_over: isOver(alert),
    device_id: deviceId,
    device_name: deviceName,
    facility,
    time_zone: timeZone,
    about: alert.about ?? null,
    message: messageText(alert, timeZone),
    message_code: alert.message_code,
    message_values: alert.message_values,
  })),
});

export interface EndedOperation {
  readonly operation: OperationRecord;
  readonly deviceId: string;
  readonly deviceName: string;
  readonly facility: string;
  /** The time zone of its site. */
  readonly timeZone: string;
}

export const hasEnded = ({ status }: Pick<OperationRecord, 'status'>): boolean =>
  status === 'completed' || status === 'stopped' || status === 'failed';

export const pushedOperation = ({
  operation,
  deviceId,
  deviceName,
  facility,
  timeZone,
}: EndedOperation): Pushed => ({
  about: 'operation',
  items: [
    {
      id: operation.operation_id,
      kind: operation.status,
      severity: null,
      is_over: true,
      device_id: deviceId,
      device_name: deviceName,
      facility,
      time_zone: timeZone,
      about: { kind: 'operation', id: operation.operation_id },
      message: operation.status_detail,
      message_code: operation.status_code,
      message_values: operation.status_values,
    },
  ],
});

/** The payload has only items that the person may see at this moment; `null` if there are none. */
export function pushPayload({ about, items }: Pushed, limits: Limits, notificationId: string): string | null {
  const seen = items.filter(({ device_id: deviceId, facility }) => canAccess(limits, { deviceId, facility }));
  if (seen.length === 0 && about !== 'test') return null;
  for (let sent = seen.slice(0, ITEMS_SENT_MAX); ; sent = sent.slice(0, -1)) {
    const payload: PushPayload = { notification_id: notificationId, about, count: seen.length, items: sent };
    const text = JSON.stringify(payload);
    if (Buffer.byteLength(text) <= PAYLOAD_BYTES_MAX || sent.length === 0) return text;
    if (sent.length === 1) return JSON.stringify({ ...payload, items: sent.map(shortened) });
  }
}

/** The item without the values, which can be long, and with the beginning of the English text. */
const shortened = (item: PushedItem): PushedItem => ({
  ...item,
  device_name: item.device_name.slice(0, 200),
  message: item.message.slice(0, 300),
  message_code: '',
  message_values: {},
});
