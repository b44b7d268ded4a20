/** A peer violated MQTT 3.1.1 or a limit of this link, so its connection is closed. */
export class ProtocolFault extends Error {
  /** The topic and the beginning of the payload, when the fault concerns one message. */
  readonly topic: string;
  readonly payloadExcerpt: string;

  constructor(message: string, topic = '', payloadExcerpt = '') {
    super(message);
    this.topic = topic;
    this.payloadExcerpt = payloadExcerpt;
  }
}
