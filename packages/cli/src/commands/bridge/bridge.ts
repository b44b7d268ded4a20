import type { Define } from '../../program/environment.ts';
import { withExamples } from '../../program/options.ts';
import { adopt } from './adopt.ts';
import { check } from './check.ts';
import { discover } from './discover.ts';
import { give } from './give.ts';
import { run } from './run.ts';
import { record, replay, test } from './test.ts';

export const bridge: Define = (command, environment) => {
  command.description(
    'Attaches devices that speak another protocol: Modbus, MQTT, LoRaWAN, HTTP, NMEA and others.',
  );
  discover(
    command.command('discover').summary('list devices that announce themselves on an MQTT broker'),
    environment,
  );
  check(
    command.command('check').summary('check mappings: faults, examples, requests and their time'),
    environment,
  );
  test(command.command('test').summary('read a device now and show every point'), environment);
  record(command.command('record').summary('write what a Modbus device answers into a file'), environment);
  replay(command.command('replay').summary('decode a recording, or answer as recorded'), environment);
  run(command.command('run').summary('read the devices of a site file'), environment);
  adopt(command.command('adopt').summary('register the devices of a site file'), environment);
  give(command.command('give').summary('let another key report for a bridge'), environment);
  withExamples(
    command,
    'granary bridge discover mqtt://192.168.1.10',
    'granary bridge test tcp://10.0.4.20:502 --scan 0-200',
  );
};
