import type { ConsoleSettings } from '@granary/contract/console';
import { PROFILE_OUTLINES } from '@granary/contract/outline';
import type { ProfileName } from '@granary/contract/profiles/profiles';

/** A plausible first value for each profile. */
const FIRST_VALUES: Readonly<Record<string, number>> = {
  weight: 512.5,
  latitude: 48.2,
  longitude: 16.3,
  battery_level: 90,
  temperature: 12.5,
};

interface Publishing {
  readonly deviceId: string;
  readonly secret: string;
  readonly profile: ProfileName;
  /** The host of the page, where devices usually connect too. */
  readonly pageHost: string;
  readonly link: ConsoleSettings['device_link'];
}

/** A command that sends the first reading of a device, ready to be pasted into a shell. */
export function publishLine({ deviceId, secret, profile, pageHost, link }: Publishing): string {
  const channels = PROFILE_OUTLINES[profile].channels
    .filter((channel) => channel in FIRST_VALUES)
    .slice(0, 3);
  const values = channels.map((channel) => `\\"${channel}\\": ${FIRST_VALUES[channel]}`).join(', ');
  const port = link === null ? '' : ` -p ${link.port}`;
  const encryption = link?.is_encrypted === true ? ' --tls-use-os-certs' : '';
  return [
    `mosquitto_pub -h ${link?.host ?? pageHost}${port}${encryption} -i ${deviceId} -u ${deviceId} -P '${secret}' -q 1`,
    `-t granary/v1/${deviceId}/telemetry -m "{\\"ts\\": $(date +%s)000, ${values}}"`,
  ].join(' ');
}
