import { ALERT_SEVERITIES } from '@granary/contract/alerts';
import type { FleetDevice } from '@granary/contract/fleet';
import { useIsLost } from '../../context/console.ts';
import { formatMass, formatNumber, formatValue } from '../../kit/format.ts';
import { Measured } from '../../kit/measured.tsx';
import { heightOf, Vessel } from '../../kit/vessel.tsx';
import { locale, texts } from '../../texts/texts.ts';
import type { DeviceFacts } from '../facts/device-facts.ts';
import { isCrossed, thresholdsOf } from '../facts/thresholds.ts';
import { spreadLabels } from './value-drawings.ts';

const HEIGHT_PX = 320;
const HEIGHT_ON_PHONE_PX = 208;
const PHONE = '(max-width: 700px)';
const LABEL_PX = 32;
const MOST_SEVERE_FIRST = ALERT_SEVERITIES.toReversed();

interface Props {
  readonly device: FleetDevice;
  readonly facts: DeviceFacts | undefined;
}

/** The silo drawn to its level, with what is inside, the room left and the thresholds by name. */
export function SiloVessel({ device: { name, readings = {} }, facts }: Props) {
  const { devices } = texts.value;
  const isLost = useIsLost();
  const { level, weight } = readings;
  const thresholds =
    facts === undefined
      ? []
      : thresholdsOf(facts.configuration, 'level', devices.thresholds).filter(
          ({ value }) => value >= 0 && value <= 100,
        );
  const crossed = thresholds.filter((threshold) => isCrossed(threshold, level?.value));
  const alarm = MOST_SEVERE_FIRST.find((severity) => crossed.some((one) => one.severity === severity));
  const height = matchMedia(PHONE).matches ? HEIGHT_ON_PHONE_PX : HEIGHT_PX;
  const places = spreadLabels(
    thresholds.map(({ value }) => (heightOf(value) / 100) * height),
    LABEL_PX,
    LABEL_PX / 2,
    height - LABEL_PX / 2,
  );
  const capacityKg = facts !== undefined && 'capacity' in facts.detail ? facts.detail.capacity.max : null;
  const roomKg = capacityKg === null || weight === undefined ? null : Math.max(0, capacityKg - weight.value);
  const percent = level === undefined ? null : formatValue(level.value, 'percent', locale.value);
  return (
    <section class="panel device-vessel" aria-label={devices.contents}>
      <div class="device-vessel-numbers">
        {weight === undefined && level === undefined ? (
          <p class="device-vessel-main muted">{texts.value.common.neverReported}</p>
        ) : (
          <p class="device-vessel-main">
            <Measured
              text={weight === undefined ? null : formatMass(weight.value, locale.value)}
              quality={weight?.quality ?? 'good'}
              at={weight?.timestamp ?? null}
            />
            <Measured text={percent} quality={level?.quality ?? 'good'} at={level?.timestamp ?? null} />
          </p>
        )}
        <p class="muted">
          {capacityKg !== null && devices.capacity(formatMass(capacityKg, locale.value))}
          {roomKg !== null && ` · ${devices.room(formatMass(roomKg, locale.value))}`}
        </p>
      </div>
      <div class="device-vessel-drawing">
        <Vessel
          percent={level?.value ?? null}
          quality={isLost ? 'stale' : (level?.quality ?? 'good')}
          thresholds={thresholds.map((threshold) => ({
            percent: threshold.value,
            name: threshold.name,
            isCrossed: isCrossed(threshold, level?.value),
          }))}
          alarm={alarm}
          height={height}
          label={`${name}: ${percent ?? texts.value.common.neverReported}`}
        />
        <ul class="device-vessel-names">
          {thresholds.map(({ name: threshold, value }, index) => (
            <li key={`${threshold} ${value}`} style={{ top: `${(places[index] ?? 0) - LABEL_PX / 2}px` }}>
              <span class="free-text">{threshold}</span>
              <span>{`${formatNumber(value, value % 1 === 0 ? 0 : 1, locale.value)} %`}</span>
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}
