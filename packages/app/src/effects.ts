import type { FieldCommand } from '@granary/contract/link/field-messages';
import type { SiloCommand } from '@granary/contract/link/messages';
import type { DeviceConfiguration } from '@granary/contract/profiles/profiles';

/** A command message for a device. */
export type DeviceMessage = SiloCommand | FieldCommand;

/** Work to do after the commit of a use case; one dispatcher of the server carries it out. */
export type Effect =
  /** The message itself determines what happens if it cannot be sent. */
  | {
      readonly kind: 'send_message';
      readonly deviceNo: number;
      readonly deviceId: string;
      readonly message: DeviceMessage;
    }
  | {
      readonly kind: 'send_configuration';
      readonly deviceId: string;
      readonly configuration: DeviceConfiguration;
      readonly version: number;
    }
  | { readonly kind: 'evaluate_alerts'; readonly deviceNos: readonly number[] }
  | { readonly kind: 'events_logged' }
  | { readonly kind: 'credentials_replaced'; readonly deviceId: string }
  /** The cached data under the id of the device is outdated; after a purge another device may get the id. */
  | { readonly kind: 'device_updated'; readonly deviceId: string }
  /** The key was revoked, or ends earlier than before. */
  | { readonly kind: 'key_ended'; readonly keyId: string }
  /** Sessions of browsers have ended; the values are their hashes. */
  | { readonly kind: 'sessions_ended'; readonly hashes: readonly string[] }
  /**
   * The ids of keys and people and the hashes of sessions that are new or whose rights changed. Every node reads them again, so
   * that these callers can stop a device on a node that cannot ask the storage. Ended ones are announced by the two kinds above.
   */
  | { readonly kind: 'access_changed'; readonly ids: readonly string[] }
  /** Announcements of other nodes to this node may have been lost. */
  | { readonly kind: 'announcements_missed' }
  /** A notification waits to be sent. */
  | { readonly kind: 'notifications_due' }
  /** A message may have to be sent to a webhook. */
  | { readonly kind: 'webhooks_changed' };

/** Cached newest values of these devices are outdated; the app itself forgets them. */
export interface ValuesStored {
  readonly kind: 'values_stored';
  readonly deviceNos: readonly number[];
}

/** The return value of every write; the caller gets the result, and the dispatcher gets the effects. */
export interface Committed<Result> {
  readonly result: Result;
  readonly effects: readonly (Effect | ValuesStored)[];
  /** How a write that does not make exactly one change is entered in the audit log: not at all, or with a further entry for each change. */
  readonly audited?: 'nothing' | readonly ChangeEntry[];
}

/** An entry of the audit log about one of several changes of a write. */
export interface ChangeEntry {
  readonly deviceId: string | null;
  /** The facility of a new device. */
  readonly facility: string | null;
  readonly resourceId: string | null;
  /** The input as JSON. */
  readonly input: string;
}

export const committed = <Result>(
  result: Result,
  ...effects: Committed<Result>['effects']
): Committed<Result> => ({
  result,
  effects,
});

/**
 * Carries out the effects of one write; the caller of the write waits for this and gets its errors. `begunAtMs` is the time by
 * `performance.now()` when the write began: the write has seen everything that was stored before then. Resolves with whether
 * every message to a device was sent; by then it is stored which messages were not sent.
 */
export type CarryOut = (effects: readonly Effect[], begunAtMs: number) => Promise<boolean>;

export const accessChanged = (...ids: readonly string[]): Effect => ({ kind: 'access_changed', ids });

/** The ids of the keys and people and the hashes of the sessions that a write has changed, for all nodes. */
export const changedAccessIds = (effects: Committed<unknown>['effects']): string[] =>
  effects.flatMap((effect) => {
    switch (effect.kind) {
      case 'key_ended':
        return effect.keyId;
      case 'sessions_ended':
        return effect.hashes;
      case 'access_changed':
        return effect.ids;
      default:
        return [];
    }
  });

export const alertEvaluation = (deviceNos: readonly number[]): Effect[] =>
  deviceNos.length === 0 ? [] : [{ kind: 'evaluate_alerts', deviceNos }];

/** Returns the effect of the events that a write has logged. */
export const eventsLogged = (events: readonly unknown[]): Effect[] =>
  events.length === 0 ? [] : [{ kind: 'events_logged' }];
