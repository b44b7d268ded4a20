import type { AlertAbout } from './alerts.ts';

/*
 * The addresses of the operators' page that messages lead to, without its origin. The page reads them
 * (`console/src/context/routes.ts`).
 */

/** The list of alerts of a device. */
export function alertsAddress(deviceId: string, isOver: boolean): string {
  const query = new URLSearchParams({ device: deviceId, ...(isOver ? { list: 'history' } : {}) });
  return `#/alerts?${query}`;
}

/** The page of the record that an alert of a device is about. */
export function aboutAddress(deviceId: string, { kind, id }: AlertAbout): string {
  switch (kind) {
    case 'operation':
      return `#/devices/${encodeURIComponent(deviceId)}?${new URLSearchParams({ tab: 'operations', operation: id })}`;
    case 'mission':
      return `#/map?${new URLSearchParams({ device: deviceId, mission: id })}`;
    case 'command':
      return `#/operations/commands?${new URLSearchParams({ device: deviceId, command: id })}`;
  }
}
