import type { FleetDevice } from '@granary/contract/fleet/devices';
import type { FleetAlert } from '@granary/contract/fleet/records';
import { isUnacknowledged } from '../alerts/summary.ts';

/** What a device needs of a person, most urgent first. */
export const NEEDS = ['critical', 'moving', 'warning', 'silent', 'nothing'] as const;
export type Need = (typeof NEEDS)[number];

interface Facts {
  readonly device: Pick<FleetDevice, 'status' | 'readings'>;
  readonly alerts: readonly Pick<FleetAlert, 'severity' | 'status'>[];
  readonly isMoving: boolean;
}

export function needOf({ device, alerts, isMoving }: Facts): Need {
  const waits = (severity: FleetAlert['severity']): boolean =>
    alerts.some((alert) => alert.severity === severity && isUnacknowledged(alert));
  if (waits('critical')) return 'critical';
  if (isMoving) return 'moving';
  if (waits('warning')) return 'warning';
  return isSilent(device) ? 'silent' : 'nothing';
}

const isSilent = ({ status, readings = {} }: Facts['device']): boolean =>
  status === 'offline' || Object.values(readings).some(({ quality }) => quality !== 'good');
