import type { FleetDevice } from '@granary/contract/fleet/devices';
import { formatMass, formatValue } from '../format/numbers.ts';
import { Measured } from '../parts/measured.tsx';
import { Vessel } from '../parts/vessel.tsx';
import { language } from '../texts/texts.ts';

function Tile({ device: { name, readings = {} } }: { readonly device: FleetDevice }) {
  const { level, weight } = readings;
  return (
    <>
      <Vessel percent={level?.value ?? null} quality={level?.quality ?? 'good'} height={88} label={name} />
      <div>
        <Measured
          text={weight === undefined ? null : formatMass(weight.value, language.value)}
          quality={weight?.quality ?? 'good'}
          at={weight?.timestamp ?? null}
        />
        <Measured
          text={level === undefined ? null : formatValue(level.value, 'percent', language.value)}
          quality={level?.quality ?? 'good'}
          at={level?.timestamp ?? null}
          hasAge
        />
      </div>
    </>
  );
}

export const siloScale = { Tile };
