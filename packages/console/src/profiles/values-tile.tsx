import type { FleetDevice } from '@granary/contract/fleet/devices';
import { formatValue } from '../format/numbers.ts';
import { Measured } from '../parts/measured.tsx';
import { language, texts } from '../texts/texts.ts';

/** A tile that shows these values. */
export const valuesTile =
  (sensors: readonly string[]) =>
  ({ device: { readings = {} } }: { readonly device: FleetDevice }) => (
    <dl class="values">
      {sensors.map((sensor) => {
        const reading = readings[sensor];
        return (
          <div key={sensor}>
            <dt>{texts.value.common.sensors[sensor] ?? sensor}</dt>
            <dd>
              <Measured
                text={reading === undefined ? null : formatValue(reading.value, reading.unit, language.value)}
                quality={reading?.quality ?? 'good'}
                at={reading?.timestamp ?? null}
              />
            </dd>
          </div>
        );
      })}
    </dl>
  );
