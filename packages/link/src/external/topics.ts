import { TOPIC_ROOT, topicOf, UP_SUBJECTS } from '@granary/contract/link/messages';

/**
 * The session in which the broker keeps the messages of all devices for the service. A colon cannot be in the id of a device, so no
 * device takes this session by its name.
 */
export const COLLECTOR_ID = 'granary:collector';

/** Everything that devices send. */
export const COLLECTOR_FILTERS: readonly string[] = UP_SUBJECTS.map(
  (subject) => `${TOPIC_ROOT}/+/${subject}`,
);

/** Every node knows which devices are connected. */
export const STATUS_FILTER = `${TOPIC_ROOT}/+/status`;

/** No device has this topic; a node publishes on it to learn whether it may send commands. */
export const COMMAND_TEST_TOPIC = topicOf('granary:test', 'command');
