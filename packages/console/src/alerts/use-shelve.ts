import type { FleetAlert } from '@granary/contract/fleet/records';
import { callOptions, useConsole } from '../console.ts';
import { type Action, useAction } from '../parts/forms/use-action.ts';

interface Shelving {
  readonly until: string;
  readonly reason: string;
}

export interface ShelveAction extends Omit<Action, 'run'> {
  shelve(alerts: readonly FleetAlert[], shelving: Shelving): Promise<boolean>;
  unshelve(alert: FleetAlert): Promise<boolean>;
}

export function useShelve(): ShelveAction {
  const console = useConsole();
  const { client, live, preferences, session } = console;
  const { run, ...action } = useAction();
  /** The endpoints of alerts are those of the group of the device. */
  const endpointsOf = (deviceId: string) =>
    client.alerts[live.site.devices.find(deviceId)?.peek().group ?? 'silo'];
  return {
    ...action,
    shelve: (alerts, { until, reason }) =>
      run(async () => {
        const shelved_by = preferences.person.peek().trim() || session.name;
        // One after the other, so that a refusal of one says which were shelved: those that left the list.
        for (const { device_id, alert_id } of alerts) {
          const shelving = { until, reason, shelved_by };
          const endpoints = endpointsOf(device_id);
          const alert = await endpoints.shelve(device_id, alert_id, shelving, callOptions(console));
          live.site.alerts.put({ device_id, ...alert });
        }
      }),
    unshelve: ({ device_id, alert_id }) =>
      run(async () => {
        const alert = await endpointsOf(device_id).unshelve(device_id, alert_id, callOptions(console));
        live.site.alerts.put({ device_id, ...alert });
      }),
  };
}
