import { checkDeviceId } from '@granary/contract/ids';
import { isDownSubject, isUpSubject, ownSubject } from './topics.ts';

/** Client id and user name of a device are its id. */
export const isDeviceLogin = (clientId: string, username: string | null): username is string =>
  username === clientId && checkDeviceId.accepts(username);

/** A device publishes on its own topics upwards and receives on those downwards; a filter with a wildcard is never one of them. */
export function mayUseTopic(deviceId: string, topic: string, use: 'publish' | 'receive'): boolean {
  const subject = ownSubject(deviceId, topic);
  if (subject === null) return false;
  return use === 'publish' ? isUpSubject(subject) : isDownSubject(subject);
}
