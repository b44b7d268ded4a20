import type { FieldConfiguration } from '@granary/contract/configuration/field-configuration';
import type { SiloConfiguration } from '@granary/contract/configuration/silo-configuration';
import type { FieldCommand } from '@granary/contract/link/field-messages';
import type { SiloCommand } from '@granary/contract/link/messages';

/** A message that tells a device what to do. */
export type DeviceMessage = SiloCommand | FieldCommand;

/** Something to do after the transaction of a use case is committed. One dispatcher of the server does it. */
export type Effect =
  /** What is to happen if the message cannot be sent follows from the message itself. */
  | {
      readonly kind: 'send_message';
      readonly deviceNo: number;
      readonly deviceId: string;
      readonly message: DeviceMessage;
    }
  | {
      readonly kind: 'send_configuration';
      readonly deviceId: string;
      readonly configuration: SiloConfiguration | FieldConfiguration;
      readonly version: number;
    }
  | { readonly kind: 'evaluate_alerts'; readonly deviceNos: readonly number[] }
  | { readonly kind: 'events_logged' }
  | { readonly kind: 'credentials_replaced'; readonly deviceId: string }
  /** The key was revoked, or ends earlier than before. */
  | { readonly kind: 'key_ended'; readonly keyId: string };

/** What every write answers. The caller gets the result; the effects go to the dispatcher. */
export interface Committed<Result> {
  readonly result: Result;
  readonly effects: readonly Effect[];
}

export const committed = <Result>(result: Result, ...effects: readonly Effect[]): Committed<Result> => ({
  result,
  effects,
});

/** Carries out the effects of one write. Its caller waits for this, and an error reaches the caller. */
export type CarryOut = (effects: readonly Effect[]) => Promise<void>;

export const evaluateAlerts = (deviceNos: readonly number[]): Effect[] =>
  deviceNos.length === 0 ? [] : [{ kind: 'evaluate_alerts', deviceNos }];

/** Takes what a write has logged. */
export const eventsLogged = (events: readonly unknown[]): Effect[] =>
  events.length === 0 ? [] : [{ kind: 'events_logged' }];
