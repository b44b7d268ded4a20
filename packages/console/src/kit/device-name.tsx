import { useConsole } from '../context/console.ts';
import { addressOf } from '../context/routes.ts';

interface Props {
  readonly deviceId: string;
  /** The address of the link; the page of the device unless given. */
  readonly href?: string;
}

/** The name of a device and its place, as a link to its page; the id of a device that does not exist any more. */
export function DeviceName({ deviceId, href = addressOf('devices', deviceId) }: Props) {
  const { devices } = useConsole().live.site;
  const device = devices.described(deviceId);
  if (device === undefined) return <span class="free-text">{deviceId}</span>;
  return (
    <>
      <a class="device-name free-text" href={href} title={deviceId}>
        {device.name}
      </a>
      {devices.hasSeveralPlaces.value && (
        <span class="device-place muted free-text">{device.location.facility}</span>
      )}
    </>
  );
}
