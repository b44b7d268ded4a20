import { TOPIC_ROOT, UP_SUBJECTS } from '@granary/contract/link/messages';

const NODES_ROOT = 'granary/nodes';

/** Each message of a device goes to one node. */
export const SHARED_FILTERS: readonly string[] = UP_SUBJECTS.map(
  (subject) => `$share/granary/${TOPIC_ROOT}/+/${subject}`,
);

/** Every node knows which devices are connected. */
export const STATUS_FILTER = `${TOPIC_ROOT}/+/status`;

export const NODES_FILTER = `${NODES_ROOT}/+`;
export const nodeTopic = (clientId: string): string => `${NODES_ROOT}/${clientId}`;

/** `null` for a topic that is not the record of a node. */
export const nodeOfTopic = (topic: string): string | null =>
  topic.startsWith(`${NODES_ROOT}/`) ? topic.slice(NODES_ROOT.length + 1) : null;
