import './rover.css';
import type { FleetDevice } from '@granary/contract/fleet';
import type { Quality } from '@granary/contract/telemetry/telemetry';
import { formatValue } from '../kit/format.ts';
import { LastKnown, Measured } from '../kit/measured.tsx';
import { locale, nameOfCode, texts } from '../texts.ts';
import type { ProfileView } from './profile.ts';
import { useOverviewFacts } from './tile-facts.ts';

const TOP = 12;
const BOTTOM = 80;

interface Props {
  readonly device: FleetDevice;
}

const Picture = ({ device: { readings = {} } }: Props) => (
  <Battery
    percent={readings['battery_level']?.value ?? null}
    quality={readings['battery_level']?.quality ?? 'good'}
  />
);

function Values({ device: { device_id, readings = {} } }: Props) {
  const { byDevice, details } = useOverviewFacts();
  const { overview, common } = texts.value;
  const mission = byDevice.missions.value.get(device_id)?.[0];
  const stop = details.emergencyStops.of(device_id).value;
  const { battery_level, signal_strength } = readings;
  const state = stateOf();
  return (
    <>
      <p class="overview-main free-text">{state !== '' && <LastKnown>{state}</LastKnown>}</p>
      {[['battery_level', battery_level] as const, ['signal_strength', signal_strength] as const].map(
        ([sensor, reading]) => (
          <p key={sensor} class="muted">
            {common.sensors[sensor]}{' '}
            <Measured
              text={reading === undefined ? null : formatValue(reading.value, reading.unit, locale.value)}
              quality={reading?.quality ?? 'good'}
              at={reading?.timestamp ?? null}
            />
          </p>
        ),
      )}
    </>
  );

  function stateOf(): string {
    if (stop?.active === true) {
      return stop.confirmed ? overview.states.emergencyStop : overview.states.emergencyStopUnconfirmed;
    }
    if (mission !== undefined) return nameOfCode(overview.states.missions, mission.status);
    return stop === undefined ? '' : overview.states.idle;
  }
}

export const rover: ProfileView = {
  Picture,
  Values,
  minor: ['temperature', 'soil_moisture'],
};

/** A battery that is filled to its charge. Its value stands beside it, so it is not read aloud. */
function Battery({ percent, quality }: { readonly percent: number | null; readonly quality: Quality }) {
  const share = Math.min(100, Math.max(0, percent ?? 0)) / 100;
  const height = (BOTTOM - TOP) * share;
  return (
    <svg class={`battery ${quality}`} viewBox="0 0 44 88" width="44" height="88" aria-hidden="true">
      <path class="outline" d="M16 4h12v5H16z" />
      <rect class="wall" x="5" y={TOP - 3} width="34" height={BOTTOM - TOP + 6} rx="3" />
      {percent !== null && <rect class="contents" x="8" y={BOTTOM - height} width="28" height={height} />}
    </svg>
  );
}
