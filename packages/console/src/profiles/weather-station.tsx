import type { FleetDevice } from '@granary/contract/fleet';
import { formatValue } from '../kit/format.ts';
import { Measured } from '../kit/measured.tsx';
import { locale, texts } from '../texts/texts.ts';
import type { ProfileView } from './profile.ts';

const BESIDE = ['humidity', 'wind_speed', 'rainfall'];

interface Props {
  readonly device: FleetDevice;
}

const Picture = ({ device: { readings = {} } }: Props) => (
  <p class="overview-large">
    <Value reading={readings['temperature']} />
  </p>
);

const Values = ({ device: { readings = {} } }: Props) => (
  <dl class="overview-values">
    {BESIDE.map((sensor) => (
      <div key={sensor} class="overview-value">
        <dt class="muted">{texts.value.common.sensors[sensor] ?? sensor}</dt>
        <dd>
          <Value reading={readings[sensor]} />
        </dd>
      </div>
    ))}
  </dl>
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
  names: {
    en: { one: 'Weather station', many: 'Weather stations' },
    de: { one: 'Wetterstation', many: 'Wetterstationen' },
  },
  Picture,
  Values,
  minor: ['atmospheric_pressure', 'light_intensity'],
};
