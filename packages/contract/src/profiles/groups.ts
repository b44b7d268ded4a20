/** The two groups of device endpoints. */
export const DEVICE_GROUPS = ['silo', 'field'] as const;
export type DeviceGroup = (typeof DEVICE_GROUPS)[number];

/** The profile of a device whose registration names none. */
export const DEFAULT_PROFILES = {
  silo: 'silo_scale',
  field: 'rover',
} as const satisfies Record<DeviceGroup, string>;
