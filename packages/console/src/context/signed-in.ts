import type { SessionRecord } from '@granary/contract/session';

/** What the key of the session may do. */
export type SignedIn = Pick<
  SessionRecord,
  'key_id' | 'kind' | 'name' | 'scopes' | 'facilities' | 'device_ids' | 'terminal'
>;
