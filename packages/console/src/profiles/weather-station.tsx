import type { FleetDevice } from '@granary/contract/fleet';
import { formatValue } from '../kit/format.ts';
import { Measured } from '../kit/measured.tsx';
import { locale, nameOfCode, texts } from '../texts.ts';
import type { ProfileView } from './profile.ts';

const BESIDE = ['humidity', 'wind_speed', 'rainfall'];

/** A cloud before the sun, which only shows the kind of the device. */
const Picture = () => (
  <svg class="overview-sign" viewBox="0 0 56 56" width="56" height="56" aria-hidden="true">
    <path d="M34 12V6M20 18l-4-4M48 18l4-4M52 32h-3M24.5 27a10 10 0 1 1 19.3 5" />
    <path d="M16 46h26a8 8 0 0 0 1-15.9A12 12 0 0 0 20 31a7.6 7.6 0 0 0-4 15z" />
  </svg>
);

const Values = ({ device: { readings = {} } }: { readonly device: FleetDevice }) => (
  <>
    <p class="overview-main">
      <Value reading={readings['temperature']} />
    </p>
    <dl class="overview-values">
      {BESIDE.map((sensor) => (
        <div key={sensor} class="overview-value">
          <dt class="muted">{nameOfCode(texts.value.common.sensors, sensor)}</dt>
          <dd>
            <Value reading={readings[sensor]} />
          </dd>
        </div>
      ))}
    </dl>
  </>
);

const Value = ({
  reading,
}: {
  readonly reading: NonNullable<FleetDevice['readings']>[string] | undefined;
}) => (
  <Measured
    text={reading === undefined ? null : formatValue(reading.value, reading.unit, locale.value)}
    quality={reading?.quality ?? 'good'}
    at={reading?.timestamp ?? null}
  />
);

export const weatherStation: ProfileView = {
  Picture,
  Values,
  minor: ['atmospheric_pressure', 'light_intensity'],
};
