import type { LinkDevice } from '../port.ts';

/** What happens between the service and the broker, for the log. */
export type BrokerEvent =
  | { readonly kind: 'connected'; readonly connection: 'control' | 'messages'; readonly version: string }
  | { readonly kind: 'lost'; readonly connection: 'control' | 'messages'; readonly reason: string }
  /** Another node takes the messages of devices now, or the nodes have to find out who does. */
  | { readonly kind: 'passed_on' }
  /** The broker has forgotten the session that this node had, and dropped what devices sent meanwhile. */
  | { readonly kind: 'session_forgotten' }
  /** The broker keeps the session only for this time while no node is connected. */
  | { readonly kind: 'session_limited'; readonly expiryS: number }
  | {
      readonly kind: 'unusable';
      readonly topic: string;
      /** As the topic names it; empty for another topic. */
      readonly deviceId: string;
      readonly reason: string;
    };

/** The functions of the service that only the link to an external broker calls. The broker checks who may log in. */
export interface ExternalHandler {
  /** `null` for an unknown or removed device; rejects while it cannot be looked up. */
  find(deviceId: string): Promise<LinkDevice | null>;
  brokerEvent(event: BrokerEvent): void;
}
