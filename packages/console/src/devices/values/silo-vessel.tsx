import type { FleetDevice, FleetReadings } from '@granary/contract/fleet';
import { ALERT_SEVERITIES } from '@granary/contract/outline';
import { useConsole, useIsLost } from '../../context/console.ts';
import { formatMass, formatNumber, formatValue } from '../../kit/format.ts';
import { Measured } from '../../kit/measured.tsx';
import { type CablePoint, heightOf, Vessel } from '../../kit/vessel.tsx';
import { levelAtEnd } from '../../operations/jobs.ts';
import { locale, texts } from '../../texts.ts';
import type { DeviceFacts } from '../facts/device-facts.ts';
import { cablesOf, type ShownSensor } from '../facts/sensors.ts';
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
  readonly sensors: readonly ShownSensor[];
  /** The level after the operation of the form. */
  readonly target: number | null;
}

/** Draws the silo to its level, with its contents, the room left and the thresholds by name. */
export function SiloVessel({ device: { device_id, name, readings = {} }, facts, sensors, target }: Props) {
  const { devices } = texts.value;
  const { operations } = useConsole().live.site;
  const isLost = useIsLost();
  const { level } = readings;
  const thresholds =
    facts === undefined
      ? []
      : thresholdsOf(facts.configuration, 'level', devices.thresholds).filter(
          ({ value }) => value >= 0 && value <= 100,
        );
  const crossed = thresholds.filter((threshold) => isCrossed(threshold, level?.value));
  const alarm = MOST_SEVERE_FIRST.find((severity) =>
    crossed.some((threshold) => threshold.severity === severity),
  );
  const capacityKg = facts !== undefined && 'capacity' in facts.detail ? facts.detail.capacity.max : null;
  const running = [...operations.all.value.values()].find((operation) => operation.device_id === device_id);
  const end =
    running === undefined || level === undefined || capacityKg === null
      ? null
      : levelAtEnd(running, level.value, capacityKg);
  const shownTarget = end ?? target;
  const height = matchMedia(PHONE).matches ? HEIGHT_ON_PHONE_PX : HEIGHT_PX;
  const named = [
    ...thresholds,
    ...(shownTarget === null
      ? []
      : [{ name: end === null ? devices.afterIt : devices.target, value: Math.round(shownTarget) }]),
  ];
  const places = spreadLabels(
    named.map(({ value }) => (heightOf(value) / 100) * height),
    LABEL_PX,
    LABEL_PX / 2,
    height - LABEL_PX / 2,
  );
  const percent = level === undefined ? null : formatValue(level.value, 'percent', locale.value);
  return (
    <section class="panel device-vessel" aria-label={devices.contents}>
      <VesselNumbers deviceId={device_id} readings={readings} capacityKg={capacityKg} />
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
          target={shownTarget}
          points={cablePoints(sensors, readings, facts)}
          height={height}
          label={`${name}: ${percent ?? texts.value.common.neverReported}`}
        />
        <ul class="device-vessel-names">
          {named.map(({ name: threshold, value }, index) => (
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

interface NumbersProps {
  readonly deviceId: string;
  readonly readings: FleetReadings;
  readonly capacityKg: number | null;
}

function VesselNumbers({ deviceId, readings: { level, weight }, capacityKg }: NumbersProps) {
  const { devices, common } = texts.value;
  const mass = (kg: number): string => formatMass(kg, locale.value, deviceId);
  return (
    <div class="device-vessel-numbers">
      {weight === undefined && level === undefined ? (
        <p class="device-vessel-main muted">{common.neverReported}</p>
      ) : (
        <p class="device-vessel-main">
          <Measured
            text={weight === undefined ? null : mass(weight.value)}
            quality={weight?.quality ?? 'good'}
            at={weight?.timestamp ?? null}
          />
          <Measured
            text={level === undefined ? null : formatValue(level.value, 'percent', locale.value)}
            quality={level?.quality ?? 'good'}
            at={level?.timestamp ?? null}
          />
        </p>
      )}
      <p class="muted">
        {capacityKg !== null && devices.capacity({ mass: mass(capacityKg) })}
        {capacityKg !== null &&
          weight !== undefined &&
          ` · ${devices.room({ mass: mass(Math.max(0, capacityKg - weight.value)) })}`}
      </p>
    </div>
  );
}

/** The points of the first cable, at equal distances over the height; which rule each one breaks is decided as for the chart. */
function cablePoints(
  sensors: readonly ShownSensor[],
  readings: FleetReadings,
  facts: DeviceFacts | undefined,
): CablePoint[] {
  const points = cablesOf(sensors).cables[0]?.sensors ?? [];
  return points.map(({ id, unit }, index) => {
    const reading = readings[id]?.quality === 'bad' ? undefined : readings[id];
    const crossed =
      facts === undefined
        ? []
        : thresholdsOf(facts.configuration, id, texts.value.devices.thresholds).filter((one) =>
            isCrossed(one, reading?.value),
          );
    return {
      percent: ((index + 0.5) / points.length) * 100,
      text: reading === undefined ? null : formatValue(reading.value, unit, locale.value),
      alarm: MOST_SEVERE_FIRST.find((severity) =>
        crossed.some((threshold) => threshold.severity === severity),
      ),
      isStale: reading?.quality !== 'good',
    };
  });
}
