import type { DeviceCredentials } from '@granary/contract/devices/devices';
import type { DeviceGroup } from '@granary/contract/devices/groups';
import { useSignal } from '@preact/signals';
import { callOptions, useConsole } from '../../context/console.ts';
import { addressOf } from '../../context/routes.ts';
import { Dialog, DialogButton, FormDialog } from '../../kit/dialog.tsx';
import { bound, CheckInput, TextInput } from '../../kit/inputs.tsx';
import { Age, LastKnown, Time } from '../../kit/measured.tsx';
import { Failure, Notice } from '../../kit/messages.tsx';
import { useEventReload, useLoaded } from '../../kit/use-loaded.ts';
import { texts } from '../../texts/texts.ts';
import { CredentialsDialog } from './credentials-dialog.tsx';
import type { DeviceDetail } from './device-draft.ts';
import { EditDevice } from './edit-device.tsx';

/** Everything that can be done with one device here. */
export function DevicePanel({
  deviceId,
  onClose,
}: {
  readonly deviceId: string;
  readonly onClose: () => void;
}) {
  const { client, live } = useConsole();
  const { deviceAdmin, shell } = texts.value;
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
        loaded.failure === null && <Notice>{shell.loading}</Notice>
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
              {shell.goToDevice}
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

/** The MQTT connection of a device. */
function LinkFacts({ group, deviceId }: { readonly group: DeviceGroup; readonly deviceId: string }) {
  const { client } = useConsole();
  const { deviceAdmin } = texts.value;
  const { value: link, failure } = useLoaded(
    (signal) => client.devices[group].link(deviceId, { signal }),
    [group, deviceId],
  );
  if (link === undefined) return <Failure of={failure} />;
  const { refused_logins, last_fault, last_disconnect } = link;
  return (
    <section aria-label={deviceAdmin.link}>
      <h3>{deviceAdmin.link}</h3>
      <dl class="fact-list">
        <dt>{deviceAdmin.connection}</dt>
        <dd>
          {link.connected_since === null ? (
            deviceAdmin.notConnected
          ) : (
            <>
              {deviceAdmin.connectedSince} <Time at={link.connected_since} />
              {link.remote_address !== null && ` · ${link.remote_address}`}
            </>
          )}
        </dd>
        <dt>{deviceAdmin.messages}</dt>
        <dd>{deviceAdmin.messageCounts(link.messages.in, link.messages.out)}</dd>
        <dt>{deviceAdmin.rejected}</dt>
        <dd>{link.rejections.total}</dd>
        <dt>{deviceAdmin.refusedLogins}</dt>
        <dd>
          {refused_logins.total}
          {refused_logins.last !== null && <span class="free-text"> · {refused_logins.last.reason}</span>}
        </dd>
        {last_fault !== null && (
          <>
            <dt>{deviceAdmin.lastFault}</dt>
            <dd>
              <Time at={last_fault.at} /> <span class="free-text">{last_fault.message}</span>
            </dd>
          </>
        )}
        {last_disconnect !== null && (
          <>
            <dt>{deviceAdmin.lastDisconnect}</dt>
            <dd>
              <Time at={last_disconnect.at} /> <span class="free-text">{last_disconnect.message}</span>
            </dd>
          </>
        )}
      </dl>
    </section>
  );
}

interface Props {
  readonly group: DeviceGroup;
  readonly device: DeviceDetail;
  readonly onClose: () => void;
  readonly onRemoved: () => void;
}

/** The id has to be typed before all records are removed, because that cannot be undone. */
function RemoveDevice({ group, device, onClose, onRemoved }: Props) {
  const console = useConsole();
  const { client, live } = console;
  const { deviceAdmin } = texts.value;
  const isPurge = useSignal(false);
  const typed = useSignal('');
  const { device_id: deviceId } = device;

  async function remove(): Promise<void> {
    const query = isPurge.peek() ? { purge: 'true' as const } : {};
    await client.devices[group].remove(deviceId, query, callOptions(console));
    live.site.devices.remove(deviceId);
    onRemoved();
  }

  return (
    <FormDialog
      title={deviceAdmin.removeOf(device.name)}
      submit={isPurge.value ? deviceAdmin.purge : deviceAdmin.remove}
      onSubmit={remove}
      onClose={onClose}
    >
      <p>{deviceAdmin.removeMeans}</p>
      <CheckInput label={deviceAdmin.purgeToo} hint={deviceAdmin.purgeMeans} {...bound(isPurge)} />
      {isPurge.value && (
        <TextInput
          label={deviceAdmin.typeId(deviceId)}
          isRequired
          maxLength={64}
          pattern={deviceId}
          {...bound(typed)}
        />
      )}
    </FormDialog>
  );
}

interface RenewCredentialsProps {
  readonly group: DeviceGroup;
  readonly device: DeviceDetail;
  readonly onClose: () => void;
}

/** Replaces the secret of a device. */
function RenewCredentials({ group, device, onClose }: RenewCredentialsProps) {
  const console = useConsole();
  const { deviceAdmin } = texts.value;
  const issued = useSignal<DeviceCredentials | null>(null);
  const title = `${deviceAdmin.renewCredentials}: ${device.name}`;
  if (issued.value !== null) {
    return (
      <CredentialsDialog
        title={title}
        credentials={issued.value}
        profile={device.profile}
        onClose={onClose}
      />
    );
  }
  return (
    <FormDialog
      title={title}
      submit={deviceAdmin.renewCredentials}
      staysOpen
      onSubmit={async () => {
        issued.value = await console.client.devices[group].renewCredentials(
          device.device_id,
          callOptions(console),
        );
      }}
      onClose={onClose}
    >
      <p>{deviceAdmin.renewMeans}</p>
    </FormDialog>
  );
}

interface MaintenanceProps {
  readonly group: DeviceGroup;
  readonly device: DeviceDetail;
  readonly onClose: () => void;
}

/** Begins or ends the maintenance of a device, and says before what that means. */
function Maintenance({ group, device, onClose }: MaintenanceProps) {
  const console = useConsole();
  const { deviceAdmin } = texts.value;
  const reason = useSignal('');
  const until = useSignal('');
  // What is asked stays the same while the dialog is open, also when another person begins or ends the maintenance.
  const isBeginning = useSignal(device.maintenance === undefined).peek();

  async function send(): Promise<void> {
    const endsAt = until.peek();
    const request = isBeginning
      ? {
          on: true,
          reason: reason.peek().trim(),
          ...(endsAt === '' ? {} : { until: new Date(endsAt).toISOString() }),
        }
      : { on: false };
    await console.client.devices[group].maintenance(device.device_id, request, callOptions(console));
  }

  return (
    <FormDialog
      title={`${isBeginning ? deviceAdmin.beginMaintenance : deviceAdmin.endMaintenance}: ${device.name}`}
      submit={isBeginning ? deviceAdmin.beginMaintenance : deviceAdmin.endMaintenance}
      onSubmit={send}
      onClose={onClose}
    >
      <p>{isBeginning ? deviceAdmin.maintenanceMeans : deviceAdmin.maintenanceEndMeans}</p>
      {isBeginning && (
        <>
          <TextInput label={deviceAdmin.reason} isRequired {...bound(reason)} />
          <TextInput
            label={deviceAdmin.untilTime}
            hint={deviceAdmin.untilHint}
            type="datetime-local"
            {...bound(until)}
          />
        </>
      )}
    </FormDialog>
  );
}
