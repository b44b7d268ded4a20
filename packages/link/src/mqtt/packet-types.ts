import { sentence } from '@granary/contract/sentences/codes';
import { inEnglish } from '@granary/contract/sentences/english';
import type { LinkFault } from '@granary/contract/sentences/faults';

/** The types of MQTT 3.1.1 control packets that a device sends. */
export const CONNECT = 1;
export const PUBLISH = 3;
export const PUBACK = 4;
export const PUBREC = 5;
export const PUBREL = 6;
export const PUBCOMP = 7;
export const SUBSCRIBE = 8;
export const UNSUBSCRIBE = 10;
export const PINGREQ = 12;
export const DISCONNECT = 14;

export type Qos = 0 | 1 | 2;

/** A peer violated MQTT 3.1.1 or a limit of this link, so its connection is closed. */
export class ProtocolFault extends Error {
  /** The topic and the beginning of the payload, when the fault concerns one message. */
  readonly topic: string;
  readonly payloadExcerpt: string;

  readonly told: LinkFault;

  constructor(told: LinkFault, topic = '', payloadExcerpt = '') {
    super(inEnglish(told));
    this.told = told;
    this.topic = topic;
    this.payloadExcerpt = payloadExcerpt;
  }
}

/** Returns a fault whose text only helps the author of the program of the device. */
export const malformed = (what: string): ProtocolFault =>
  new ProtocolFault(sentence('packet_malformed', { what }));
