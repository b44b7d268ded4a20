import './device-tile.css';
import { ALERT_SEVERITIES } from '@granary/contract/alerts';
import { type ReadonlySignal, useComputed, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { isUnacknowledged } from '../alerts/summary.ts';
import { useConsole } from '../console.ts';
import type { LiveDevice } from '../live/devices.ts';
import { SeverityMark } from '../parts/severity-mark.tsx';
import { useNear } from '../parts/use-near.ts';
import { profileOf } from '../profiles/profiles.tsx';
import { addressOf } from '../routes.ts';
import { texts } from '../texts/texts.ts';
import type { Facility, Zone } from './arrangement.ts';
import { useOverviewFacts } from './overview-context.ts';
import { StateLine } from './state-line.tsx';

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

interface DeviceTileProps {
  readonly device: LiveDevice;
  /** Where the tiles are not grouped, each names its place. */
  readonly hasPlace: boolean;
}

/** One device in the overview. Away from the window only its name is there, and it follows no changes. */
function DeviceTile({ device, hasPlace }: DeviceTileProps) {
  const element = useRef<HTMLLIElement>(null);
  const isNear = useNear(element);
  const { device_id, name } = device.peek();
  const { byDevice } = useOverviewFacts();
  const worst = useComputed(
    () => byDevice.alerts.value.get(device_id)?.find(isUnacknowledged)?.severity ?? '',
  );
  return (
    <li ref={element} class={`overview-tile ${worst} ${hasPlace ? 'has-place' : ''}`}>
      {isNear.value ? (
        <TileContent device={device} hasPlace={hasPlace} />
      ) : (
        <h4 class="overview-name free-text">
          <a class="overview-name-link" href={addressOf('devices', device_id)}>
            {name}
          </a>
        </h4>
      )}
    </li>
  );
}

/** What it shows of the values is decided by the profile of the device. */
function TileContent({ device: live, hasPlace }: DeviceTileProps) {
  const device = live.value;
  const { device_id, name, profile, location } = device;
  const { Picture, Values } = profileOf(profile);
  return (
    <>
      <div class="overview-picture">
        <Picture device={device} />
      </div>
      <div class="overview-words">
        <h4 class="overview-name free-text" title={name}>
          <a class="overview-name-link" href={addressOf('devices', device_id)}>
            {name}
          </a>
        </h4>
        {hasPlace && (
          <p class="overview-place muted free-text">
            {location.facility} · {location.zone}
          </p>
        )}
        <Values device={device} />
      </div>
      <StateLine device={device} />
    </>
  );
}
