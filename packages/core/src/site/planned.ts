import type { CHANGE_ACTIONS } from '@granary/contract/site/apply';
import type { Difference } from '@granary/contract/site/difference';

/** What a document makes of one of its entries. */
export interface Planned<After> {
  readonly after: After;
  readonly action: (typeof CHANGE_ACTIONS)[number];
  readonly differences: readonly Difference[];
}
