import type { Sql } from '@granary/store/sql';
import { findDevices } from '../device-rows.ts';
import type { DeviceMessage, Effect } from '../effects.ts';

/** The effect that sends a message to a device, if there is one to send. */
export async function messageEffects(
  sql: Sql,
  deviceNo: number,
  message: DeviceMessage | null,
): Promise<Effect[]> {
  if (message === null) return [];
  const [device] = await findDevices(sql, [deviceNo]);
  return device === undefined ? [] : [{ kind: 'send_message', deviceNo, deviceId: device.deviceId, message }];
}
