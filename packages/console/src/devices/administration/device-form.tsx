import { SENSORS_DECLARED_MAX } from '@granary/contract/outline';
import './device-form.css';
import { useSignal } from '@preact/signals';
import { useConsole } from '../../context/console.ts';
import { Button } from '../../kit/button.tsx';
import { type Bound, bound, TextInput } from '../../kit/inputs.tsx';
import { NumberInput } from '../../kit/number-input.tsx';
import { texts } from '../../texts.ts';
import { type DeviceDraft, EMPTY_SENSOR, type SensorDraft } from './device-draft.ts';

type TextField = Exclude<keyof DeviceDraft, 'sensors'>;

interface Props extends Bound<DeviceDraft> {
  readonly hasCapacity: boolean;
  /** False where the sensors to declare are known from elsewhere. */
  readonly hasSensors?: boolean;
}

/** The fields that describe a device, at its registration and later. */
export function DeviceFields({ value: draft, onValue, hasCapacity, hasSensors = true }: Props) {
  const { site } = useConsole().live;
  const { deviceAdmin } = texts.value;
  const places = [...site.devices.all.value.values()].map((device) => device.peek().location);
  const field = (name: TextField) => ({
    label: deviceAdmin.fields[name],
    value: draft[name],
    onValue: (text: string) => onValue({ ...draft, [name]: text }),
  });
  return (
    <>
      <div class="form-row">
        <TextInput isRequired {...field('name')} />
        <TextInput isRequired {...field('model')} />
      </div>
      <div class="form-row">
        <TextInput
          isRequired
          offered={[...new Set(places.map(({ facility }) => facility))]}
          {...field('facility')}
        />
        <TextInput isRequired offered={[...new Set(places.map(({ zone }) => zone))]} {...field('zone')} />
      </div>
      <div class="form-row">
        {hasCapacity && <NumberInput unit="kg" isRequired {...field('capacity')} />}
        <TextInput maxLength={100} {...field('firmware_version')} />
      </div>
      <TextInput maxLength={2_000} hint={deviceAdmin.labelsHint} {...field('labels')} />
      {hasSensors && (
        <SensorsEditor value={draft.sensors} onValue={(sensors) => onValue({ ...draft, sensors })} />
      )}
    </>
  );
}

/** The sensors that a device has beside those of its profile. */
function SensorsEditor({ value: sensors, onValue }: Bound<readonly SensorDraft[]>) {
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
              <NumberInput max={6} isWhole {...field(at, sensor, 'precision')} />
              <NumberInput min={Number.NEGATIVE_INFINITY} {...field(at, sensor, 'min')} />
              <NumberInput min={Number.NEGATIVE_INFINITY} {...field(at, sensor, 'max')} />
              <NumberInput {...field(at, sensor, 'reporting_interval_s')} />
            </div>
            <Button
              kind="quiet"
              label={deviceAdmin.removeSensor({ id: sensor.sensor_id })}
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

/** Asks the person to type the id before something that cannot be undone. */
export function ConfirmId({ deviceId }: { readonly deviceId: string }) {
  const typed = useSignal('');
  return (
    <TextInput
      label={texts.value.deviceAdmin.typeId({ id: deviceId })}
      isRequired
      maxLength={64}
      pattern={deviceId}
      {...bound(typed)}
    />
  );
}
