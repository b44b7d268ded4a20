import { useConsole } from '../console.ts';
import { addressOf } from '../routes.ts';

/** The name of a device, which leads to its page; the id of a device that is not there any more. */
export function DeviceLink({ deviceId }: { readonly deviceId: string }) {
  const device = useConsole().live.site.devices.find(deviceId)?.value;
  if (device === undefined) return <span class="free-text">{deviceId}</span>;
  return (
    <a class="free-text" href={addressOf('devices', deviceId)} title={deviceId}>
      {device.name}
    </a>
  );
}
