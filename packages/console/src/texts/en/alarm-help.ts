import type { AlertType } from '@granary/contract/alerts';

/** What a person should know to act on an alert. */
export interface AlarmHelp {
  readonly name: string;
  readonly cause: string;
  readonly consequence: string;
  readonly action: string;
}

const TYPES: Readonly<Record<AlertType, AlarmHelp>> = {
  low_level: {
    name: 'Low level',
    cause: 'The silo has been emptied to its low level.',
    consequence: 'At the present use it runs empty soon.',
    action: 'Order or fill it; the forecast says by when.',
  },
  high_level: {
    name: 'High level',
    cause: 'The silo is filled to its high level.',
    consequence: 'More feed may overflow or press on the roof.',
    action: 'Feed nothing more; discharge before the next delivery.',
  },
  critical_level: {
    name: 'Critical level',
    cause: 'The silo is almost empty.',
    consequence: 'Animals or machines may stand without feed today.',
    action: 'Bring material at once, or change to another silo.',
  },
  sensor_stale: {
    name: 'Sensor silent',
    cause: 'A sensor has sent nothing for longer than it should.',
    consequence: 'Its last value may be wrong by now; alerts that need it do not work.',
    action: 'Look at the sensor, its cable and its supply; read the value on site.',
  },
  sensor_fault: {
    name: 'Sensor fault',
    cause: 'A sensor sends values that cannot be true.',
    consequence: 'Its values are not used; level and alerts rely on older ones.',
    action: 'Look at the sensor and its cable; calibrate or replace it.',
  },
  sensor_threshold: {
    name: 'Limit of a rule',
    cause: 'A value is beyond the limit of a rule of this site.',
    consequence: 'What the rule was made for: see its message.',
    action: 'Do what the rule says, or correct its limit.',
  },
  device_offline: {
    name: 'Link lost',
    cause: 'The device is not connected.',
    consequence: 'Nothing is known of it, and starts are not possible; it may still be moving.',
    action: 'Look at its power and network. If it may be moving, stop it on site.',
  },
  readings_rejected: {
    name: 'Readings refused',
    cause: 'The device is connected, but its readings are refused.',
    consequence: 'It looks healthy and its values are old.',
    action: 'Open its connection page, which names the cause; correct clock, units or sensors.',
  },
  clock_wrong: {
    name: 'Clock wrong',
    cause: 'The clock of the device is wrong.',
    consequence: 'Its readings have wrong times or are refused.',
    action: 'Set its clock or its time server.',
  },
  duplicate_device: {
    name: 'Two devices with one id',
    cause: 'Two clients use the id of this device.',
    consequence: 'They throw each other out; a command may reach the wrong one.',
    action: 'Find the second one by its address, and give it an id and a secret of its own.',
  },
  operation_failed: {
    name: 'Operation failed',
    cause: 'A feed or discharge did not end as it was asked for.',
    consequence: 'More or less material was moved than planned, or nothing.',
    action: 'Look at the silo and the conveyor before it is started again.',
  },
  mass_imbalance: {
    name: 'Amounts differ',
    cause: 'The scale shows another amount than the operation reported.',
    consequence: 'Material went elsewhere, or the scale or the report is wrong.',
    action: 'Compare with the container; look for spills and check the scale.',
  },
  maintenance_due: {
    name: 'Maintenance due',
    cause: 'The planned maintenance is due.',
    consequence: 'Wear is not found in time.',
    action: 'Do the maintenance and enter it, or move its date.',
  },
  low_battery: {
    name: 'Battery low',
    cause: 'The battery of the vehicle is low.',
    consequence: 'It may not come back from its mission.',
    action: 'Let it return to its base, or charge it.',
  },
  geofence_breach: {
    name: 'Outside the fence',
    cause: 'The vehicle is outside its fence.',
    consequence: 'It may meet people, animals or roads.',
    action: 'Stop it, make sure that nobody is near, and bring it back.',
  },
  mission_failed: {
    name: 'Mission failed',
    cause: 'A mission ended before it was done.',
    consequence: 'Part of the field was not reached; the vehicle may stand outside.',
    action: 'Look where the vehicle is and why it ended; plan the rest again.',
  },
  emergency_stop_unconfirmed: {
    name: 'Emergency stop not confirmed',
    cause: 'An emergency stop was sent, and the device has not confirmed it.',
    consequence: 'It may still be moving.',
    action: 'Do not approach. Stop it on site with its own emergency stop.',
  },
  predicted_empty: {
    name: 'Empty soon',
    cause: 'The silo is expected to be empty before a delivery can come.',
    consequence: 'Without an order now it stands empty.',
    action: 'Order now; acknowledge it when it is ordered, or enter the delivery.',
  },
  no_flow: {
    name: 'No flow',
    cause: 'Material should flow, and the weight does not change.',
    consequence: 'The outlet is blocked, a bridge has formed, or the auger turns empty.',
    action: 'Stop the conveyor, and look at the outlet; knock bridges down from outside only.',
  },
  unexplained_loss: {
    name: 'Unexplained loss',
    cause: 'The silo loses material that no operation explains.',
    consequence: 'Material leaks, is taken, or the scale drifts.',
    action: 'Look for leaks at outlet and conveyor; compare with what was taken.',
  },
  delivery_mismatch: {
    name: 'Delivery differs',
    cause: 'A delivery weighed other than its note says.',
    consequence: 'You pay for what was not delivered, or the note belongs elsewhere.',
    action: 'Compare with the delivery note, and speak with the supplier.',
  },
  sensor_suspect: {
    name: 'Sensor suspect',
    cause: 'A sensor is stuck or drifts.',
    consequence: 'Level and forecast may be wrong, although the values look good.',
    action: 'Check the sensor against the real contents; calibrate or replace it.',
  },
  hot_spot: {
    name: 'Hot spot',
    cause: 'A part of the grain warms by itself.',
    consequence: 'It spoils, and can catch fire in the end.',
    action: 'Aerate or turn the grain, and watch it daily; do not enter the silo.',
  },
  storage_life: {
    name: 'Storage life',
    cause: 'The grain has used most of its safe storage time.',
    consequence: 'It loses quality soon.',
    action: 'Sell, dry or cool it.',
  },
};

export const alarmHelp = {
  title: 'What to do',
  cause: 'Cause',
  consequence: 'If nothing is done',
  action: 'Action',
  edit: 'Edit text',
  editTitle: (name: string) => `What to do: ${name}`,
  save: 'Save text',
  place: 'For',
  places: {
    all: 'all alerts of this type',
    facility: (facility: string) => `alerts in ${facility}`,
    rule: (rule: string) => `the rule ${rule}`,
    ruleAt: (rule: string, facility: string) => `the rule ${rule} in ${facility}`,
  },
  writtenFor: (place: string) => `Text of this site for ${place}`,
  remove: 'Remove text',
  removeTitle: 'Remove the text of this site',
  removeMeans: 'The next less specific text holds again, at last the one that is shipped.',
  types: TYPES,
};
