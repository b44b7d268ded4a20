/** The two groups of device endpoints. */
export const DEVICE_GROUPS = ['silo', 'field'] as const;
export type DeviceGroup = (typeof DEVICE_GROUPS)[number];
