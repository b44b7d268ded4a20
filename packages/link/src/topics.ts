import { checkDeviceId } from '@granary/contract/ids';
import {
  DOWN_SUBJECTS,
  type DownSubject,
  TOPIC_ROOT,
  UP_SUBJECTS,
  type UpSubject,
} from '@granary/contract/link/messages';

const PREFIX = `${TOPIC_ROOT}/`;

export interface DeviceTopic {
  readonly deviceId: string;
  readonly subject: UpSubject | DownSubject;
}

const up: ReadonlySet<string> = new Set(UP_SUBJECTS);
const down: ReadonlySet<string> = new Set(DOWN_SUBJECTS);

export const isUpSubject = (subject: string): subject is UpSubject => up.has(subject);
export const isDownSubject = (subject: string): subject is DownSubject => down.has(subject);

/** Parses a topic; returns `null` unless it is `granary/v1/{device_id}/{subject}`; a wildcard is never a valid device id. */
export function parseTopic(topic: string): DeviceTopic | null {
  if (!topic.startsWith(PREFIX)) return null;
  const slash = topic.indexOf('/', PREFIX.length);
  if (slash <= PREFIX.length) return null;
  const subject = topic.slice(slash + 1);
  if (!isUpSubject(subject) && !isDownSubject(subject)) return null;
  return { deviceId: topic.slice(PREFIX.length, slash), subject };
}

/** Returns the subject of the topic, if the topic belongs to this device. */
export function ownSubject(deviceId: string, topic: string): UpSubject | DownSubject | null {
  const parsed = parseTopic(topic);
  return parsed?.deviceId === deviceId ? parsed.subject : null;
}

/** Returns whether a login is that of a device: its client id and its user name are its id. */
export const isDeviceLogin = (clientId: string, username: string | null): username is string =>
  username === clientId && checkDeviceId.accepts(username);

/** A device publishes on its own topics upwards and receives on those downwards; a filter with a wildcard is never one of them. */
export function mayUseTopic(deviceId: string, topic: string, use: 'publish' | 'receive'): boolean {
  const subject = ownSubject(deviceId, topic);
  if (subject === null) return false;
  return use === 'publish' ? isUpSubject(subject) : isDownSubject(subject);
}
