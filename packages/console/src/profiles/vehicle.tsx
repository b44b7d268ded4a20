import type { FleetDevice } from '@granary/contract/fleet/devices';
import { formatValue } from '../format/numbers.ts';
import { useOverviewFacts } from '../overview/overview-context.ts';
import { Battery, SignalBars } from '../parts/battery.tsx';
import { LastKnown } from '../parts/last-known.tsx';
import { Measured } from '../parts/measured.tsx';
import { locale, texts } from '../texts/texts.ts';

interface Props {
  readonly device: FleetDevice;
}

function Picture({ device: { readings = {} } }: Props) {
  const { battery_level, signal_strength } = readings;
  return (
    <>
      <SignalBars dbm={signal_strength?.value ?? null} quality={signal_strength?.quality ?? 'good'} />
      <Battery percent={battery_level?.value ?? null} quality={battery_level?.quality ?? 'good'} />
    </>
  );
}

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
    if (mission !== undefined) return overview.states.missions[mission.status] ?? mission.status;
    return stop === undefined ? '' : overview.states.idle;
  }
}

export const vehicle = { Picture, Values, minor: ['temperature', 'soil_moisture'] };
