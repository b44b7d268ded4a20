import type { DeviceSummary } from '@granary/contract/devices';
import type { KeyRecord } from '@granary/contract/keys';
import type { ProfileName } from '@granary/contract/profiles/profiles';
import { toIso, toIsoOrNull } from '@granary/contract/time';
import { deviceStatus, type Presence } from '@granary/core/devices/status';
import type { Access } from '@granary/core/keys';

interface ShownDevice {
  readonly deviceId: string;
  readonly name: string;
  readonly model: string;
  readonly profile: ProfileName;
  readonly facility: string;
  readonly zone: string;
  readonly presence: Presence;
}

/** The record of a device for callers and for the event log. */
export const deviceSummary = (device: ShownDevice, nowMs: number): DeviceSummary => ({
  device_id: device.deviceId,
  name: device.name,
  model: device.model,
  profile: device.profile,
  status: deviceStatus(device.presence, nowMs),
  location: { facility: device.facility, zone: device.zone },
  last_seen: toIsoOrNull(device.presence.lastSeenAtMs),
});

interface ShownKey extends Access {
  readonly keyId: string;
  readonly name: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
  readonly lastUsedAtMs: number | null;
  readonly revokedAtMs: number | null;
}

/** The record of a key for callers and for the event log, without the key and its hash. */
export const keyRecord = (key: ShownKey): KeyRecord => ({
  key_id: key.keyId,
  name: key.name,
  scopes: [...key.scopes],
  facilities: key.facilities === null ? null : [...key.facilities],
  device_ids: key.deviceIds === null ? null : [...key.deviceIds],
  created_at: toIso(key.createdAtMs),
  expires_at: toIsoOrNull(key.expiresAtMs),
  last_used_at: toIsoOrNull(key.lastUsedAtMs),
  revoked_at: toIsoOrNull(key.revokedAtMs),
});
