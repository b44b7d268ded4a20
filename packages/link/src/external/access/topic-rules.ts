import { DOWN_SUBJECTS, topicOf, UP_SUBJECTS } from '@granary/contract/link/messages';

/** What a role of the dynamic security plugin of Mosquitto allows. */
export interface TopicRule {
  readonly acltype:
    | 'publishClientSend'
    | 'publishClientReceive'
    | 'subscribeLiteral'
    | 'subscribePattern'
    | 'unsubscribeLiteral'
    | 'unsubscribePattern';
  readonly topic: string;
}

const DEVICE_ROLE_PREFIX = 'granary-device:';
export const NODE_ROLE = 'granary-node';

/** The plugin replaces no user name in the topics of a role, so each device has its own. */
export const deviceRole = (deviceId: string): string => `${DEVICE_ROLE_PREFIX}${deviceId}`;

/** `null` for a role that is not of a device. */
export const deviceOfRole = (role: string): string | null =>
  role.startsWith(DEVICE_ROLE_PREFIX) ? role.slice(DEVICE_ROLE_PREFIX.length) : null;

/** The topics of the device link, as on the embedded broker. */
export const deviceRules = (deviceId: string): TopicRule[] => [
  ...UP_SUBJECTS.map((subject) => ({
    acltype: 'publishClientSend' as const,
    topic: topicOf(deviceId, subject),
  })),
  ...DOWN_SUBJECTS.flatMap((subject) =>
    (['subscribeLiteral', 'unsubscribeLiteral', 'publishClientReceive'] as const).map((acltype) => ({
      acltype,
      topic: topicOf(deviceId, subject),
    })),
  ),
];

const OWN_TOPICS = 'granary/#';

/** What the nodes of the service need beside the right to control the plugin. */
export const NODE_RULES: readonly TopicRule[] = [
  { acltype: 'publishClientSend', topic: OWN_TOPICS },
  { acltype: 'publishClientReceive', topic: OWN_TOPICS },
  { acltype: 'subscribePattern', topic: OWN_TOPICS },
  { acltype: 'unsubscribePattern', topic: OWN_TOPICS },
];

/** The rules as the plugin takes them; a higher priority than that of a rule that was added by hand is not needed. */
export const asAcls = (rules: readonly TopicRule[]): object[] =>
  rules.map((rule) => ({ ...rule, priority: 0, allow: true }));

/** Whether a role has exactly these rules. */
export function hasRules(acls: unknown, rules: readonly TopicRule[]): boolean {
  if (!Array.isArray(acls) || acls.length !== rules.length) return false;
  const wanted = new Set(rules.map(({ acltype, topic }) => `${acltype} ${topic}`));
  return acls.every(({ acltype, topic, allow }) => allow === true && wanted.delete(`${acltype} ${topic}`));
}
