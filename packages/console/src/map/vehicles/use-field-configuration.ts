import type { Versioned } from '@granary/client';
import type { FieldConfiguration } from '@granary/contract/configuration/field-configuration';
import { useEffect } from 'preact/hooks';
import { useConsole } from '../../console.ts';
import { type Loaded, useLoaded } from '../../parts/use-loaded.ts';

/** The configuration of a vehicle with its version; read again when it changes. */
export function useFieldConfiguration(deviceId: string): Loaded<Versioned<FieldConfiguration> | null> {
  const { client, live } = useConsole();
  const { state } = live.connection.current.value;
  const loaded = useLoaded(
    async (signal) => {
      const { configuration, etag } = await client.configuration.field.get(deviceId, { signal });
      return 'geofence' in configuration ? { configuration, etag } : null;
    },
    [deviceId, state],
  );
  useEffect(
    () =>
      live.onEvent((event) => {
        if (event.device_id === deviceId && event.type === 'configuration.changed') loaded.reload();
      }),
    [deviceId],
  );
  return loaded;
}
