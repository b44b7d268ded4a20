import {
  type Bridge,
  type BridgedDevice,
  type ShownBridgedDevice,
  UNIT_DIFFERS,
} from '@granary/contract/bridges';
import { type Access, canAccess, isUnlimited, type Limits, limitsWith, type Place } from './keys.ts';

export type BridgedCounts = Bridge['devices'];

export const NO_BRIDGED_DEVICES: BridgedCounts = {
  total: 0,
  answering: 0,
  silent: 0,
  waiting: 0,
  unit_differs: 0,
};

/** What a caller may see of bridges; one bridge may have devices of several sites. */
export interface BridgeSight {
  /**
   * Whether the caller sees the bridge itself: its file, faults, journal, key and mappings, which name devices and addresses
   * of all its sites.
   */
  readonly isWhole: boolean;
  /** The devices that are shown and counted. A caller who is limited to some sees only bridges that have one of them. */
  readonly devices: Limits;
  /** The devices whose address and exact failure the caller may see. */
  readonly configured: Limits;
}

export function bridgeSight(caller: Access): BridgeSight {
  const configured = limitsWith(caller, 'configure');
  return {
    isWhole: isUnlimited(configured),
    devices: [...limitsWith(caller, 'read'), ...configured],
    configured,
  };
}

/** `null` means that the caller sees nothing of the device. A device that is not registered belongs to no site. */
export function shownDevice(
  device: BridgedDevice,
  { devices, configured }: BridgeSight,
  facility: string | null,
): ShownBridgedDevice | null {
  const isIn = (limits: Limits): boolean =>
    facility === null
      ? isUnlimited(limits)
      : canAccess(limits, { deviceId: device.device_id, facility } satisfies Place);
  if (isIn(configured)) return device;
  if (!isIn(devices)) return null;
  const { last_failure } = device;
  return {
    ...device,
    endpoint: null,
    unit: null,
    last_failure: last_failure && { ...last_failure, detail: null },
  };
}

/** Whether the device counts as `unit_differs` in the figures of its bridge. */
export const isUnitDiffering = ({ last_failure }: Pick<BridgedDevice, 'last_failure'>): boolean =>
  last_failure?.code === UNIT_DIFFERS;

/** The counts after some devices were removed and others added, computed without reading the devices that stay. */
export function recount(
  counts: BridgedCounts,
  removed: readonly BridgedDevice[],
  added: readonly BridgedDevice[],
): BridgedCounts {
  const after = { ...counts };
  const count = (devices: readonly BridgedDevice[], by: 1 | -1): void => {
    for (const device of devices) {
      after.total += by;
      after[device.state] += by;
      if (isUnitDiffering(device)) after.unit_differs += by;
    }
  };
  count(removed, -1);
  count(added, 1);
  return after;
}

export function sumOf(one: BridgedCounts, other: BridgedCounts): BridgedCounts {
  const { total, answering, silent, waiting, unit_differs } = other;
  return {
    total: one.total + total,
    answering: one.answering + answering,
    silent: one.silent + silent,
    waiting: one.waiting + waiting,
    unit_differs: one.unit_differs + unit_differs,
  };
}
