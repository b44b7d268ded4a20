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
