export const DEVICE_TABS = ['now', 'operations', 'configuration', 'connection'] as const;
export type DeviceTab = (typeof DEVICE_TABS)[number];

/** The part of the page in the address; an unknown one is the first. */
export const tabOf = (query: URLSearchParams): DeviceTab =>
  DEVICE_TABS.find((name) => name === query.get('tab')) ?? 'now';
