import type { FleetDevice } from '@granary/contract/fleet/devices';
import { useEffect } from 'preact/hooks';
import { useConsole } from '../../console.ts';
import { Time } from '../../parts/age.tsx';
import { useLoaded } from '../../parts/use-loaded.ts';
import { texts } from '../../texts/texts.ts';

const AGAIN_MS = 1_000;

interface Props {
  readonly device: Pick<FleetDevice, 'device_id' | 'group'>;
  /** When it was saved, in the time of the service. */
  readonly savedAt: string;
}

/** That the configuration was saved, and how far it has come to the device, as far as its connection tells. */
export function SavedLine({ device: { device_id, group }, savedAt }: Props) {
  const { client } = useConsole();
  const words = texts.value.devices.configuration;
  const link = useLoaded((signal) => client.devices[group].link(device_id, { signal }), [device_id, savedAt]);
  const state = link.value;
  const isSent = state?.connected === true && state.subscribed;
  const isReceived = isSent && state.messages.unacknowledged === 0;
  useEffect(() => {
    if (isReceived) return;
    const timer = setInterval(link.reload, AGAIN_MS);
    return () => clearInterval(timer);
  }, [isReceived, savedAt]);
  return (
    <>
      {words.saved} <Time at={savedAt} />
      {state !== undefined && ` · ${isSent ? words.sent : words.sentLater}`}
      {isSent && ` · ${isReceived ? words.received : words.notReceived}`}
    </>
  );
}
