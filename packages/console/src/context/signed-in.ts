import type { SessionRecord } from '@granary/contract/session';

/** The caller of this session, with its rights. */
export type SignedIn = Pick<
  SessionRecord,
  'key_id' | 'kind' | 'name' | 'scopes' | 'facilities' | 'device_ids' | 'terminal'
>;
