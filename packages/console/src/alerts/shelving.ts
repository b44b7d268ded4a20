import { instantOf, localMs } from '@granary/common/time-zone';
import type { FleetAlert } from '@granary/contract/fleet';
import { DAY_MS, HOUR_MS } from '@granary/contract/time';
import { callOptions, personOf, useConsole } from '../context/console.ts';
import { withHidden } from '../live/site.ts';

const MORNING_HOUR = 7;
const LENGTHS_MS = { '1h': HOUR_MS, '4h': 4 * HOUR_MS, '1d': DAY_MS, '7d': 7 * DAY_MS } as const;

export const SHELVE_TIMES = ['1h', '4h', 'morning', '1d', '7d', 'other'] as const;

export type ShelveTime = (typeof SHELVE_TIMES)[number];

/** The end of shelving by the clock of the service; `other` is a minute of UTC from a form. `null`: the text is not a time. */
export function shelvedUntil(
  time: ShelveTime,
  nowMs: number,
  other: string,
  timeZone: string,
): string | null {
  if (time === 'morning') return new Date(nextMorningMs(nowMs, timeZone)).toISOString();
  if (time !== 'other') return new Date(nowMs + LENGTHS_MS[time]).toISOString();
  const chosen = new Date(other);
  return Number.isNaN(chosen.getTime()) ? null : chosen.toISOString();
}

function nextMorningMs(nowMs: number, timeZone: string): number {
  const today = Math.floor(localMs(nowMs, timeZone) / DAY_MS) * DAY_MS + MORNING_HOUR * HOUR_MS;
  const todayMs = instantOf(today, timeZone);
  return todayMs > nowMs ? todayMs : instantOf(today + DAY_MS, timeZone);
}

interface Period {
  readonly until: string;
  readonly reason: string;
}

interface Shelving {
  shelve(alerts: readonly FleetAlert[], period: Period): Promise<void>;
  unshelve(alert: FleetAlert): Promise<void>;
}

export function useShelving(): Shelving {
  const console = useConsole();
  const { client, live, preferences, session } = console;
  /** The endpoints of an alert are those of the device group. */
  const endpointsOf = (deviceId: string) =>
    client.alerts[live.site.devices.find(deviceId)?.peek().group ?? 'silo'];
  return {
    shelve: async (alerts, { until, reason }) => {
      const shelved_by = personOf({ preferences, session }) || session.name;
      // The requests follow each other, so that after a refusal it is clear which alerts were shelved: those that left the list.
      for (const { device_id, alert_id } of withHidden(live.site, alerts)) {
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
