import type { DeviceGroup } from '@granary/contract/devices/groups';
import { useConsole } from '../../console.ts';
import { Age, Time } from '../../parts/age.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { DialogButton } from '../../parts/forms/dialog-button.tsx';
import { LastKnown } from '../../parts/last-known.tsx';
import { useEventReload } from '../../parts/lists/use-event-reload.ts';
import { Notice } from '../../parts/notice.tsx';
import { useLoaded } from '../../parts/use-loaded.ts';
import { addressOf } from '../../routes.ts';
import { texts } from '../../texts/texts.ts';
import type { DeviceDetail } from './device-draft.ts';
import { EditDevice } from './edit-device.tsx';
import { LinkFacts } from './link-facts.tsx';
import { Maintenance } from './maintenance.tsx';
import { RemoveDevice } from './remove-device.tsx';
import { RenewCredentials } from './renew-credentials.tsx';

/** Everything that can be done with one device here. */
export function DevicePanel({
  deviceId,
  onClose,
}: {
  readonly deviceId: string;
  readonly onClose: () => void;
}) {
  const { client, live } = useConsole();
  const { deviceAdmin, frame } = texts.value;
  const group: DeviceGroup = live.site.devices.find(deviceId)?.value.group ?? 'silo';
  const loaded = useLoaded(
    async (signal) => {
      const { device, etag } = await client.devices[group].getVersioned(deviceId, { signal });
      return { device: device as DeviceDetail, etag };
    },
    [group, deviceId],
  );
  useEventReload(['device.'], loaded.reload);
  const device = loaded.value?.device;
  return (
    <Dialog title={device?.name ?? deviceId} onClose={onClose}>
      <Failure of={loaded.failure} />
      {device === undefined ? (
        loaded.failure === null && <Notice>{frame.loading}</Notice>
      ) : (
        <>
          <DeviceFacts device={device} />
          <div class="administration-actions">
            <DialogButton text={deviceAdmin.edit}>
              {(close) => (
                <EditDevice group={group} device={device} etag={loaded.value?.etag ?? null} onClose={close} />
              )}
            </DialogButton>
            <DialogButton
              text={
                device.maintenance === undefined ? deviceAdmin.beginMaintenance : deviceAdmin.endMaintenance
              }
            >
              {(close) => <Maintenance group={group} device={device} onClose={close} />}
            </DialogButton>
            <DialogButton text={deviceAdmin.renewCredentials}>
              {(close) => <RenewCredentials group={group} device={device} onClose={close} />}
            </DialogButton>
            <DialogButton text={deviceAdmin.remove}>
              {(close) => <RemoveDevice group={group} device={device} onClose={close} onRemoved={onClose} />}
            </DialogButton>
            <a class="button" href={addressOf('devices', deviceId)}>
              {frame.goToDevice}
            </a>
          </div>
          <LinkFacts group={group} deviceId={deviceId} />
        </>
      )}
    </Dialog>
  );
}

function DeviceFacts({ device }: { readonly device: DeviceDetail }) {
  const { deviceAdmin, common } = texts.value;
  const { maintenance, last_seen } = device;
  return (
    <dl class="fact-list">
      <dt>{deviceAdmin.id}</dt>
      <dd>{device.device_id}</dd>
      <dt>{deviceAdmin.profile}</dt>
      <dd>{deviceAdmin.profiles[device.profile]}</dd>
      <dt>{deviceAdmin.model}</dt>
      <dd class="free-text">{device.model}</dd>
      <dt>{deviceAdmin.place}</dt>
      <dd class="free-text">
        {device.location.facility} · {device.location.zone}
      </dd>
      <dt>{deviceAdmin.firmware}</dt>
      <dd class="free-text">{device.firmware_version || '–'}</dd>
      <dt>{deviceAdmin.status}</dt>
      <dd>
        <LastKnown>{common.deviceStatuses[device.status]}</LastKnown>
      </dd>
      <dt>{deviceAdmin.lastSeen}</dt>
      <dd>{last_seen === null ? common.neverReported : <Age since={last_seen} />}</dd>
      {maintenance !== undefined && (
        <>
          <dt>{deviceAdmin.maintenance}</dt>
          <dd>
            <span class="free-text">{maintenance.reason}</span>, {deviceAdmin.since}{' '}
            <Time at={maintenance.since} />
            {maintenance.until !== null && (
              <>
                {' '}
                {deviceAdmin.until} <Time at={maintenance.until} />
              </>
            )}
          </dd>
        </>
      )}
    </dl>
  );
}
