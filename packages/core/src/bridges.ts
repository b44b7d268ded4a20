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

/** What a caller sees of bridges, each of which may have devices of several sites. */
export interface BridgeSight {
  /** Of the bridge itself: its file, faults, journal, key and mappings, which name devices and addresses of all its sites. */
  readonly isWhole: boolean;
  /** The devices that are shown and counted. A caller who is limited to some sees only bridges that have one of them. */
  readonly devices: Limits;
  /** The devices of which the caller is told where they are and what exactly failed. */
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

/** `null`: the caller sees nothing of the device. One that is not registered is of no site. */
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

/** What the figures of a device count it as. */
export const isUnitDiffering = ({ last_failure }: Pick<BridgedDevice, 'last_failure'>): boolean =>
  last_failure?.code === UNIT_DIFFERS;

/** How many devices there are after some were replaced or removed and others came, without reading those that stay. */
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
