import type { LinkDevice } from '../port.ts';

/** An event between the service and the broker, for the log. */
export type BrokerEvent =
  | { readonly kind: 'connected'; readonly connection: 'control' | 'messages'; readonly version: string }
  | { readonly kind: 'lost'; readonly connection: 'control' | 'messages'; readonly reason: string }
  /** Another node takes the messages of devices now, or the nodes have to decide which one does. */
  | { readonly kind: 'passed_on' }
  /** The broker has removed the session of this node, and dropped the messages that devices sent meanwhile. */
  | { readonly kind: 'session_forgotten' }
  /** The broker keeps the session only for this time while no node is connected. */
  | { readonly kind: 'session_limited'; readonly expiryS: number }
  | {
      readonly kind: 'unusable';
      readonly topic: string;
      /** The device id in the topic; empty for another topic. */
      readonly deviceId: string;
      readonly reason: string;
    };

/** The functions of the service that only the link to an external broker calls. The broker checks who may log in. */
export interface ExternalHandler {
  /** Finds a device; returns `null` for an unknown or removed one; rejects while it cannot be looked up. */
  find(deviceId: string): Promise<LinkDevice | null>;
  brokerEvent(event: BrokerEvent): void;
}
