import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SensorDeclaration } from '@granary/contract/devices/sensors';
import { checker } from '@granary/contract/input/schema';
import { readMapping } from '../mapping/read-mapping.ts';
import { declarationsOf } from '../site/declarations.ts';
import { Announcements } from './home-assistant.ts';
import { proposalsOf } from './proposal.ts';

function announced(...messages: readonly (readonly [topic: string, config: unknown])[]) {
  const announcements = new Announcements('homeassistant');
  for (const [topic, config] of messages)
    announcements.add(
      `homeassistant/${topic}/config`,
      typeof config === 'string' ? config : JSON.stringify(config),
    );
  return announcements.devices();
}

test('sensors of one device are joined, also with abbreviations and a base topic', () => {
  const dev = { ids: ['0x00158d'], name: 'Barn', mdl: 'WSDCGQ11LM', mf: 'Aqara' };
  const [device, ...others] = announced(
    [
      'sensor/0x00158d/temperature',
      {
        '~': 'zigbee2mqtt/barn',
        stat_t: '~',
        avty: [{ t: '~/availability', val_tpl: '{{ value_json.state }}' }],
        dev_cla: 'temperature',
        stat_cla: 'measurement',
        unit_of_meas: '°C',
        val_tpl: '{{ value_json.temperature }}',
        uniq_id: '0x00158d_temperature',
        exp_aft: 3600,
        dev,
      },
    ],
    ['sensor/0x00158d/linkquality', { state_topic: 'zigbee2mqtt/barn', value_template: '{{ 1 if x }}', dev }],
    ['switch/0x00158d/relay', { command_topic: 'x', state_topic: 'y', dev }],
    [
      'binary_sensor/0x00158d/door',
      { stat_t: 'zigbee2mqtt/barn', val_tpl: '{{ value_json.contact }}', pl_on: false, dev },
    ],
  );
  assert.deepEqual(others, []);
  assert.deepEqual(device?.availability, {
    topic: 'zigbee2mqtt/barn/availability',
    pointer: '/state',
    online: 'online',
    offline: 'offline',
  });
  assert.deepEqual(
    [device?.id, device?.name, device?.model, device?.manufacturer],
    ['0x00158d', 'Barn', 'WSDCGQ11LM', 'Aqara'],
  );
  assert.deepEqual(device?.sensors[0], {
    id: '0x00158d_temperature',
    name: 'temperature',
    topic: 'zigbee2mqtt/barn',
    pointer: '/temperature',
    decimals: null,
    deviceClass: 'temperature',
    stateClass: 'measurement',
    unit: '°C',
    expireAfterS: 3600,
    onOff: null,
  });
  assert.deepEqual(
    device?.notUsed.map(({ what, reason }) => [what, reason]),
    [
      ['sensor linkquality', 'template'],
      ['switch relay', 'component'],
    ],
  );
});

test('an announcement of a whole device has its components inside', () => {
  const [device] = announced([
    'device/ea334450945afc',
    {
      dev: { ids: 'ea334450945afc', name: 'Kitchen', mf: 'Bla electronics', mdl: 'xya' },
      o: { name: 'bla2mqtt' },
      cmps: {
        one: {
          p: 'sensor',
          device_class: 'temperature',
          unit_of_measurement: '°C',
          value_template: '{{ value_json.temperature}}',
          unique_id: 'temp01ae_t',
        },
        two: {
          p: 'sensor',
          device_class: 'humidity',
          unit_of_measurement: '%',
          value_template: '{{ value_json.humidity}}',
          unique_id: 'temp01ae_h',
        },
      },
      state_topic: 'sensorBedroom/state',
      qos: 2,
    },
  ]);
  assert.deepEqual(
    device?.sensors.map(({ id, topic, pointer }) => [id, topic, pointer]),
    [
      ['temp01ae_t', 'sensorBedroom/state', '/temperature'],
      ['temp01ae_h', 'sensorBedroom/state', '/humidity'],
    ],
  );
});

/** Returns an announcement in the form in which rtl_433_mqtt_hass.py of rtl_433 22.11 publishes it. */
function ofRadio(
  component: string,
  device: string,
  suffix: string,
  config: Readonly<Record<string, unknown>>,
): readonly [string, object] {
  const id = device.replaceAll('/', '-');
  const name = `${id}-${suffix}`;
  const { topic, ...rest } = config;
  const own = {
    ...rest,
    state_topic: `rtl_433/barn/devices/${device}/${topic}`,
    unique_id: name,
    name,
    device: { identifiers: [id], name: id, model: device.split('/')[0], manufacturer: 'rtl_433' },
  };
  return [`${component}/${id}/${name}`, own];
}

test('the weather stations that rtl_433 announces become mappings without a guess', () => {
  const WH1080 = 'Fineoffset-WHx080/0/97';
  const WS80 = 'Fineoffset-WS80/12345';
  const measured = { state_class: 'measurement', value_template: '{{ value|float }}' };
  const diagnostic = { entity_category: 'diagnostic' };
  const found = proposalsOf(
    announced(
      ofRadio('sensor', WH1080, 'UTC', { topic: 'time', device_class: 'timestamp', ...diagnostic }),
      ofRadio('sensor', WH1080, 'B', {
        topic: 'battery_ok',
        ...measured,
        ...diagnostic,
        device_class: 'battery',
        unit_of_measurement: '%',
        value_template: '{{ float(value) * 99 + 1 }}',
      }),
      ofRadio('sensor', WH1080, 'T', {
        topic: 'temperature_C',
        ...measured,
        device_class: 'temperature',
        unit_of_measurement: '°C',
        value_template: '{{ value|float|round(1) }}',
      }),
      ofRadio('sensor', WH1080, 'H', {
        topic: 'humidity',
        ...measured,
        device_class: 'humidity',
        unit_of_measurement: '%',
      }),
      ofRadio('sensor', WH1080, 'WD', { topic: 'wind_dir_deg', ...measured, unit_of_measurement: '°' }),
      ofRadio('sensor', WH1080, 'WS', { topic: 'wind_avg_km_h', ...measured, unit_of_measurement: 'km/h' }),
      ofRadio('sensor', WH1080, 'RT', {
        topic: 'rain_mm',
        unit_of_measurement: 'mm',
        value_template: '{{ value|float|round(2) }}',
        state_class: 'total_increasing',
      }),
      ofRadio('sensor', WS80, 'WS', {
        topic: 'wind_avg_m_s',
        ...measured,
        unit_of_measurement: 'km/h',
        value_template: '{{ (float(value|float) * 3.6) | round(2) }}',
      }),
      ofRadio('sensor', WS80, 'uv', {
        topic: 'uv',
        ...measured,
        unit_of_measurement: 'UV Index',
        value_template: '{{ value|int }}',
      }),
      ofRadio('binary_sensor', WS80, 'tamper', {
        topic: 'tamper',
        ...diagnostic,
        device_class: 'safety',
        force_update: 'true',
        payload_on: '1',
        payload_off: '0',
      }),
      ofRadio('device_automation', WS80, 'BTN', { topic: 'button', automation_type: 'trigger' }),
    ),
    'mqtt://127.0.0.1',
    'weather_station',
  );
  const declared = checker(SensorDeclaration);
  const seen = found.map(({ device, proposal }) => {
    const outcome = readMapping(proposal?.mapping ?? '');
    assert.ok('mapping' in outcome, JSON.stringify(outcome));
    for (const one of declarationsOf(outcome.mapping)) assert.ok(declared.accepts(one), JSON.stringify(one));
    return {
      mapping: proposal?.mappingName,
      sensors: outcome.mapping.points.map(({ sensor, rules }) => [sensor, rules.unit, rules.convert]),
      notUsed: device.notUsed.map(({ what, reason }) => [what.split('-').at(-1), reason]),
    };
  });
  assert.deepEqual(seen, [
    {
      mapping: 'announced-fineoffset-whx080-0-97',
      sensors: [
        ['temperature', '°C', 'celsius'],
        ['humidity', '%', 'percent'],
        ['wd', '°', null],
        ['ws', 'km/h', null],
        ['rt', 'mm', null],
      ],
      notUsed: [
        ['UTC', 'no_number'],
        ['B', 'template'],
      ],
    },
    {
      mapping: 'announced-fineoffset-ws80-12345',
      sensors: [
        ['uv', 'UV Index', null],
        ['tamper', 'state', null],
      ],
      notUsed: [
        ['WS', 'template'],
        ['BTN', 'component'],
      ],
    },
  ]);
});

test('nonsense is listed or left out, and an empty announcement removes', () => {
  const devices = announced(
    ['sensor/a', '{'],
    ['sensor/b', '[1]'],
    ['sensor/c', { stat_t: 5, dev: [], '~': {} }],
    ['device/d', { cmps: { x: 7, y: { p: 'sensor' } } }],
    ['sensor/e', { stat_t: 'x', dev_cla: 'timestamp' }],
    ['sensor/f', { __proto__: { stat_t: 'x' } }],
    ['sensor/g', { stat_t: 'x' }],
    ['sensor/g', ''],
  );
  assert.deepEqual(
    devices.map(({ id, sensors, notUsed }) => [id, sensors.length, notUsed[0]?.reason]),
    [
      ['a', 0, 'not_json'],
      ['b', 0, 'not_json'],
      ['c', 1, undefined],
      ['e', 0, 'no_number'],
      ['f', 0, 'no_state_topic'],
      ['y', 0, 'no_state_topic'],
    ],
  );
});
