import { ALERT_SEVERITIES } from '@granary/contract/alerts';
import { type ReadonlySignal, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { isUnacknowledged } from '../alerts/alerts.ts';
import { useConsole } from '../context/console.ts';
import { SeverityMark } from '../kit/severity-mark.tsx';
import { useOverviewFacts } from '../profiles/tile-facts.ts';
import { texts } from '../texts/texts.ts';
import type { Facility, Zone } from './arrangement.ts';
import { DeviceTile } from './device-tile.tsx';

const TILE_PX_MIN = 284;
const GAP_PX = 8;

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

/** How many tiles fit side by side. A zone must know, because it takes as many columns as it has tiles. */
function useColumns(element: RefObject<HTMLElement | null>): ReadonlySignal<number> {
  const columns = useSignal(1);
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return;
    const measure = (): void => {
      columns.value = Math.max(1, Math.floor((current.clientWidth + GAP_PX) / (TILE_PX_MIN + GAP_PX)));
    };
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    measure();
    return () => observer.disconnect();
  }, []);
  return columns;
}
