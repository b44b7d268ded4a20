import type { Define } from '../../program/environment.ts';
import { withExamples } from '../../program/options.ts';
import { adopt } from './adopt.ts';
import { discover } from './discover.ts';
import { run } from './run.ts';

export const bridge: Define = (command, environment) => {
  command.description(
    'Attaches devices that speak another protocol: Modbus, MQTT, LoRaWAN, HTTP, NMEA and others.',
  );
  discover(
    command.command('discover').summary('list devices that announce themselves on an MQTT broker'),
    environment,
  );
  withExamples(command, 'granary bridge discover mqtt://192.168.1.10');
  run(command.command('run').summary('read the devices of a site file'), environment);
  adopt(command.command('adopt').summary('register the devices of a site file'), environment);
};
