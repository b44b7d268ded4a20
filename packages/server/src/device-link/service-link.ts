import type { DeviceLink } from '@granary/link/port';
import type { MemberFigures } from './link-member.ts';

/** The device link as the service uses it, with its own broker or an external one. */
export interface ServiceLink extends DeviceLink {
  forgetSensors(deviceId: string): void;
  memberFigures(): Promise<MemberFigures[]>;
}
