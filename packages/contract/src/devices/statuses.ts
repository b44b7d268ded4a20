export const DEVICE_STATUSES = ['online', 'offline', 'maintenance'] as const;
export const SENSOR_STATUSES = ['active', 'stale', 'fault', 'inactive'] as const;
export const SENSOR_TYPES = ['level', 'temperature', 'humidity'] as const;

export type DeviceStatus = (typeof DEVICE_STATUSES)[number];
export type SensorStatus = (typeof SENSOR_STATUSES)[number];
