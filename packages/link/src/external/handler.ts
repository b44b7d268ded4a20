import type { LinkDevice, LinkHandler } from '../port.ts';

/** What happens between the service and the broker, for the log. */
export type BrokerEvent =
  | { readonly kind: 'connected'; readonly connection: 'control' | 'messages'; readonly version: string }
  | { readonly kind: 'lost'; readonly connection: 'control' | 'messages'; readonly reason: string }
  | { readonly kind: 'session_taken_over'; readonly clientId: string }
  | { readonly kind: 'takeover_failed'; readonly clientId: string; readonly reason: string }
  | {
      readonly kind: 'unusable';
      readonly topic: string;
      /** As the topic names it; empty for another topic. */
      readonly deviceId: string;
      readonly reason: string;
    };

/** The functions of the service that the link to an external broker calls. The broker checks who may log in. */
export interface ExternalHandler extends LinkHandler {
  /** `null` for an unknown or removed device; rejects while it cannot be looked up. */
  find(deviceId: string): Promise<LinkDevice | null>;
  brokerEvent(event: BrokerEvent): void;
}
