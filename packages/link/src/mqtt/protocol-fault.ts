/** A peer sent what MQTT 3.1.1 or the limits of this link forbid: its connection is closed. */
export class ProtocolFault extends Error {
  /** Where the fault is about one message: its topic and the beginning of its payload. */
  readonly topic: string;
  readonly payloadExcerpt: string;

  constructor(message: string, topic = '', payloadExcerpt = '') {
    super(message);
    this.topic = topic;
    this.payloadExcerpt = payloadExcerpt;
  }
}
