import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Announcements } from './home-assistant.ts';

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
