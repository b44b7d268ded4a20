import type { DeviceGroup } from '@granary/contract/devices/groups';
import { useConsole } from '../../console.ts';
import { Time } from '../../parts/age.tsx';
import { Failure } from '../../parts/failure.tsx';
import { useLoaded } from '../../parts/use-loaded.ts';
import { texts } from '../../texts/texts.ts';

/** The MQTT connection of a device. */
export function LinkFacts({ group, deviceId }: { readonly group: DeviceGroup; readonly deviceId: string }) {
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
