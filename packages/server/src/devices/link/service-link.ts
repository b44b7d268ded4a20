import type { DeviceLink } from '@granary/link/port';
import type { DeviceAccess } from '../broker-access/device-access.ts';
import type { MemberFigures } from './link-member.ts';

/** The device link as the service uses it, with its own broker or an external one. */
export interface ServiceLink extends DeviceLink {
  forgetSensors(deviceId: string): void;
  /** Gives an external broker the secrets of devices. */
  readonly access: DeviceAccess;
  memberFigures(): Promise<MemberFigures[]>;
}
