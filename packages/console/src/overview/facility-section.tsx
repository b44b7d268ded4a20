import { ALERT_SEVERITIES } from '@granary/contract/alerts';
import { useRef } from 'preact/hooks';
import { isUnacknowledged } from '../alerts/summary.ts';
import { useConsole } from '../console.ts';
import { SeverityMark } from '../parts/severity-mark.tsx';
import { texts } from '../texts/texts.ts';
import type { Facility, Zone } from './arrangement.ts';
import { DeviceTile } from './device-tile.tsx';
import { useOverviewFacts } from './overview-context.ts';
import { useColumns } from './use-columns.ts';

interface Props {
  readonly facility: Facility;
  readonly isGrouped: boolean;
}

/** The zones of a facility stand side by side, and their tiles are aligned with each other. */
export function FacilitySection({ facility: { name, zones }, isGrouped }: Props) {
  const element = useRef<HTMLDivElement>(null);
  const columns = useColumns(element);
  return (
    <section aria-label={name ?? texts.value.overview.title}>
      {name !== null && (
        <header class="overview-facility">
          <h2 class="free-text">{name}</h2>
          <FacilityCounts zones={zones} />
        </header>
      )}
      <div ref={element} class="overview-zones" style={{ '--columns': String(columns.value) }}>
        {zones.map((zone) => (
          <ZoneSection key={zone.name ?? ''} zone={zone} columns={columns.value} isGrouped={isGrouped} />
        ))}
      </div>
    </section>
  );
}

interface ZoneProps {
  readonly zone: Zone;
  readonly columns: number;
  readonly isGrouped: boolean;
}

function ZoneSection({ zone: { name, deviceIds }, columns, isGrouped }: ZoneProps) {
  const { devices } = useConsole().live.site;
  const span = Math.min(columns, deviceIds.length);
  return (
    <section class="overview-zone" style={{ gridColumn: `span ${span}` }}>
      {name !== null && <h3 class="overview-zone-name muted free-text">{name}</h3>}
      <ul class="overview-tiles">
        {deviceIds.map((deviceId) => {
          const device = devices.find(deviceId);
          return device && <DeviceTile key={deviceId} device={device} hasPlace={!isGrouped} />;
        })}
      </ul>
    </section>
  );
}

function FacilityCounts({ zones }: { readonly zones: readonly Zone[] }) {
  const { byDevice } = useOverviewFacts();
  const ids = zones.flatMap(({ deviceIds }) => deviceIds);
  const waiting = ids.flatMap((id) => byDevice.alerts.value.get(id) ?? []).filter(isUnacknowledged);
  return (
    <p class="overview-facility-counts muted">
      {texts.value.overview.devices(ids.length)}
      {ALERT_SEVERITIES.toReversed().map((severity) => {
        const count = waiting.filter((alert) => alert.severity === severity).length;
        return count > 0 && <SeverityMark key={severity} severity={severity} text={String(count)} />;
      })}
    </p>
  );
}
