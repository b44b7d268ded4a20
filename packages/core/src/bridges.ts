import { type Bridge, type BridgedDevice, UNIT_DIFFERS } from '@granary/contract/bridges';

export type BridgedCounts = Bridge['devices'];

export const NO_BRIDGED_DEVICES: BridgedCounts = {
  total: 0,
  answering: 0,
  silent: 0,
  waiting: 0,
  unit_differs: 0,
};

/** How many devices there are after some were replaced or removed and others came, without reading those that stay. */
export function recount(
  counts: BridgedCounts,
  removed: readonly BridgedDevice[],
  added: readonly BridgedDevice[],
): BridgedCounts {
  const after = { ...counts };
  const count = (devices: readonly BridgedDevice[], by: 1 | -1): void => {
    for (const { state, last_failure } of devices) {
      after.total += by;
      after[state] += by;
      if (last_failure?.code === UNIT_DIFFERS) after.unit_differs += by;
    }
  };
  count(removed, -1);
  count(added, 1);
  return after;
}
