import type { FleetAlert } from '@granary/contract/fleet/records';
import { callOptions, useConsole } from '../console.ts';

interface Period {
  readonly until: string;
  readonly reason: string;
}

export interface Shelving {
  shelve(alerts: readonly FleetAlert[], period: Period): Promise<void>;
  unshelve(alert: FleetAlert): Promise<void>;
}

export function useShelving(): Shelving {
  const console = useConsole();
  const { client, live, preferences, session } = console;
  /** The endpoints of alerts are those of the group of the device. */
  const endpointsOf = (deviceId: string) =>
    client.alerts[live.site.devices.find(deviceId)?.peek().group ?? 'silo'];
  return {
    shelve: async (alerts, { until, reason }) => {
      const shelved_by = preferences.person.peek().trim() || session.name;
      // One after the other, so that a refusal of one says which were shelved: those that left the list.
      for (const { device_id, alert_id } of alerts) {
        const shelving = { until, reason, shelved_by };
        const endpoints = endpointsOf(device_id);
        const alert = await endpoints.shelve(device_id, alert_id, shelving, callOptions(console));
        live.site.alerts.put({ device_id, ...alert });
      }
    },
    unshelve: async ({ device_id, alert_id }) => {
      const alert = await endpointsOf(device_id).unshelve(device_id, alert_id, callOptions(console));
      live.site.alerts.put({ device_id, ...alert });
    },
  };
}
