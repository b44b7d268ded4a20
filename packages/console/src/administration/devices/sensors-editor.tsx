import { SENSORS_DECLARED_MAX } from '@granary/contract/devices/sensors';
import { Button } from '../../parts/button.tsx';
import { type Bound, TextInput } from '../../parts/forms/inputs.tsx';
import { texts } from '../../texts/texts.ts';
import { EMPTY_SENSOR, type SensorDraft } from './sensor-draft.ts';

/** The sensors that a device has beside those of its profile. */
export function SensorsEditor({ value: sensors, onValue }: Bound<readonly SensorDraft[]>) {
  const { deviceAdmin, forms } = texts.value;
  const { sensorFields } = deviceAdmin;
  const change = (at: number, changed: Partial<SensorDraft>): void =>
    onValue(sensors.map((sensor, index) => (index === at ? { ...sensor, ...changed } : sensor)));
  const field = (at: number, sensor: SensorDraft, name: keyof SensorDraft) => ({
    label: sensorFields[name],
    value: sensor[name],
    onValue: (text: string) => change(at, { [name]: text }),
  });
  return (
    <fieldset class="list-editor">
      <legend>{deviceAdmin.declaredSensors}</legend>
      <p class="muted hint">{deviceAdmin.declaredSensorsHint}</p>
      <ol>
        {sensors.map((sensor, at) => (
          // A sensor has no other identity than its place in the list while its id is being typed.
          <li key={at}>
            <div class="sensor-fields">
              <TextInput
                isRequired
                maxLength={64}
                pattern="[A-Za-z0-9][A-Za-z0-9_\-]*"
                {...field(at, sensor, 'sensor_id')}
              />
              <TextInput isRequired maxLength={64} pattern="[a-z][a-z0-9_]*" {...field(at, sensor, 'type')} />
              <TextInput isRequired maxLength={32} {...field(at, sensor, 'unit')} />
              <TextInput type="number" min={0} max={6} step={1} {...field(at, sensor, 'precision')} />
              <TextInput type="number" step="any" {...field(at, sensor, 'min')} />
              <TextInput type="number" step="any" {...field(at, sensor, 'max')} />
              <TextInput type="number" step="any" {...field(at, sensor, 'reporting_interval_s')} />
            </div>
            <Button
              kind="quiet"
              label={deviceAdmin.removeSensor(sensor.sensor_id)}
              onPress={() => onValue(sensors.filter((_, index) => index !== at))}
            >
              {forms.remove}
            </Button>
          </li>
        ))}
      </ol>
      <Button
        isDisabled={sensors.length >= SENSORS_DECLARED_MAX}
        onPress={() => onValue([...sensors, EMPTY_SENSOR])}
      >
        {deviceAdmin.addSensor}
      </Button>
    </fieldset>
  );
}
