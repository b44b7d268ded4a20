import { useComputed } from '@preact/signals';
import { useMemo, useRef } from 'preact/hooks';
import { useConsole } from '../console.ts';
import type { Site } from '../live/site.ts';
import { Notice } from '../parts/notice.tsx';
import { texts } from '../texts/texts.ts';
import { type Arrangement, arrange, arrangementOf, type Facility } from './arrangement.ts';
import { AttentionPanel } from './attention-panel.tsx';
import { type ByDevice, byDevice } from './by-device.ts';
import { detailsOf } from './details.ts';
import { FacilitySection } from './facility-section.tsx';
import { needOf } from './need.ts';
import { OverviewContext } from './overview-context.ts';
import { OverviewFilters } from './overview-filters.tsx';
import './overview.css';

/** Every device at a glance. */
export function Overview() {
  const { client, live, navigation } = useConsole();
  const { overview } = texts.value;
  const facts = useMemo(
    () => ({ byDevice: byDevice(live.site), details: detailsOf(client, live) }),
    [client, live],
  );
  const previous = useRef<{ readonly facilities: Facility[]; readonly text: string }>(null);
  const arranged = useComputed(() => {
    const facilities = arrangedSite(live.site, facts.byDevice, arrangementOf(navigation.route.value.query));
    const text = JSON.stringify(facilities);
    // Values change all the time but the order rarely, and the same order draws nothing again.
    if (previous.current?.text !== text) previous.current = { facilities, text };
    return previous.current.facilities;
  });
  const { grouping } = arrangementOf(navigation.route.value.query);
  const isEmpty = live.site.devices.all.value.size === 0;
  return (
    <OverviewContext.Provider value={facts}>
      <h1 class="only-for-readers">{overview.title}</h1>
      <div class="overview">
        <AttentionPanel />
        <div class="overview-places">
          {isEmpty ? <Notice>{overview.empty}</Notice> : <OverviewFilters />}
          {!isEmpty && arranged.value.length === 0 && <Notice>{overview.nothingFound}</Notice>}
          {arranged.value.map((facility) => (
            <FacilitySection key={facility.name ?? ''} facility={facility} isGrouped={grouping === 'place'} />
          ))}
        </div>
      </div>
    </OverviewContext.Provider>
  );
}

function arrangedSite(site: Site, facts: ByDevice, arrangement: Arrangement): Facility[] {
  const devices = [...site.devices.all.value.values()].map(({ value: device }) => {
    const { device_id } = device;
    const alerts = facts.alerts.value.get(device_id) ?? [];
    const isMoving = facts.operations.value.has(device_id) || facts.missions.value.has(device_id);
    return { device, need: needOf({ device, alerts, isMoving }) };
  });
  return arrange(devices, arrangement);
}
