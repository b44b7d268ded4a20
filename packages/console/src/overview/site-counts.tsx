import { DEVICE_STATUSES } from '@granary/contract/devices/statuses';
import { useComputed } from '@preact/signals';
import { useConsole } from '../console.ts';
import { LastKnown } from '../parts/last-known.tsx';
import { addressOf } from '../routes.ts';
import { texts } from '../texts/texts.ts';

/** The devices by their status; each number leads to those devices. */
export function SiteCounts() {
  const { site } = useConsole().live;
  const counts = useComputed(() => {
    const statuses = [...site.devices.all.value.values()].map((device) => device.value.status);
    return DEVICE_STATUSES.map((status) => statuses.filter((one) => one === status).length).join();
  });
  const numbers = counts.value.split(',');
  return (
    <dl class="overview-counts">
      {DEVICE_STATUSES.map((status, index) => (
        <div key={status} class="overview-count">
          <dt class="overview-count-name">{texts.value.common.deviceStatuses[status]}</dt>
          <dd>
            <a
              class={`overview-count-number ${numbers[index] === '0' ? 'none' : ''}`}
              href={addressOf('overview', null, { status })}
            >
              <LastKnown>{numbers[index]}</LastKnown>
            </a>
          </dd>
        </div>
      ))}
    </dl>
  );
}
