import type { Sentence } from './sentence.ts';

/** Why a device could not log in, or why its connection was closed. */
export const LINK_FAULTS = {
  login_without_id: 'client id and user name must be the device id, with its secret as password',
  will_on_other_topic: 'a last will belongs on the device’s own status topic',
  storage_silent_at_login: 'storage did not answer whether the secret is right',
  wrong_login: 'unknown device or wrong secret',
  other_mqtt_version: 'only MQTT 3.1.1 is supported, not {protocol:text}',
  message_not_taken: 'a message could not be taken',
  connection_not_ended: 'the connection of the device could not be ended: {error:text}',
  topic_of_others: 'topic is not this device’s to publish on',
  does_not_read: 'device does not read what it is sent',
  left_unacknowledged: 'device left {count:number} messages unacknowledged',
  left_unreleased: 'device left {count:number} messages of QoS 2 unreleased',
  packet_not_for_server: 'packet type {type:number} is not for a server',
  packet_too_large: 'packet is larger than {limit:number} bytes',
  no_connect_first: 'connection does not begin with CONNECT',
  packet_malformed: 'the packet is malformed: {what:text}',
} as const;

export type LinkFault = Sentence<keyof typeof LINK_FAULTS>;
