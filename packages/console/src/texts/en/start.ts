import { pluralOf } from '../plural.ts';

const plural = pluralOf('en');

export const start = {
  title: 'First steps',
  notice: 'All devices here are simulated.',
  noticeMore: 'Attach your own, or leave the demo',
  dismiss: 'Do not show this again',
  historyBeingWritten: (count: number, of: number) =>
    plural(of, {
      one: 'The history of the device is still being written.',
      other: `The history of ${count} of # devices is still being written.`,
    }),
  simulated: 'What is simulated',
  none: 'There are no simulated devices.',
  simulatedCount: (count: number) =>
    `${count === 1 ? 'One device is simulated: it has' : `${count} devices are simulated: they have`} the label “simulated”. Nothing that moves on them is real; their alerts, orders and histories are made up with them.`,
  showThem: 'Show the simulated devices',
  own: (count: number) => plural(count, { one: '# device of your own.', other: '# devices of your own.' }),
  noOwn: 'There is no device of your own yet.',
  otherClocks: (service: string, silos: string) =>
    `The service runs by the clocks of ${service}, your silos by those of ${silos}. What belongs to no silo, and places whose silos name no time zone, follow the service: the setting GRANARY_TIME_ZONE changes it.`,
  attach: 'Attach the first device',
  needsAdmin: 'Whoever may administrate devices can do this; ask them, or sign in with such a key.',
  link: 'It speaks MQTT or HTTP',
  linkText:
    'Register the device: its user name, its secret and a line that sends a first reading are shown once. Over HTTP a program sends readings with a key of the scope “ingest”.',
  protocol: 'The protocol',
  bridge: 'It speaks something else',
  bridgeText:
    'A bridge reads Modbus, LoRaWAN, NMEA, MQTT and HTTP devices of other makers. This command looks for devices, and the page of the bridges adds them:',
  bridgeCommand: 'Look for devices',
  csv: 'There are many of them',
  csvText: 'A CSV file with one device in each row registers up to 10,000 at once, all of them or none.',
  leave: 'Leave the demo',
  leaveText:
    'This command removes the simulated devices with all their records, and no others. What runs on them is stopped first, and the demo does not come back with the next start. In a copy of the repository begin it with “npx”.',
  leaveCommand: 'Remove the demo',
};
