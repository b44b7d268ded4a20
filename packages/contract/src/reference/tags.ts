/** What the endpoints of each slice are about. */
export const SLICE_DESCRIPTIONS: Readonly<Record<string, string>> = {
  devices:
    'Silo scales, rovers, drones and weather stations: registration, description, maintenance, removal.',
  telemetry: 'What devices measure: newest values, history, tracks, and readings sent over HTTP.',
  operations: 'Feed into and discharge from a silo, and their stop.',
  alerts: 'What needs the attention of a person at one device.',
  commands: 'Single commands to a field device, with the emergency stop.',
  missions: 'Drives of a field device along waypoints.',
  configuration: 'Thresholds, limits, alarms and failsafe actions of a device, with their versions.',
  fleet: 'All devices, alerts and jobs that the key may see.',
  exports: 'Files with readings and history of many devices.',
  keys: 'API keys with their scopes and limits.',
  session: 'Sign-in for browsers, with a cookie in place of the key.',
  notifications: 'Which alerts reach whom by e-mail or webhook.',
  site: 'The configuration of a site as one document.',
  events: 'Every change of state, as a stream.',
  readings: 'The newest values of all devices, as a stream.',
  webhooks: 'Events that are sent to an address of yours.',
  audit: 'Who changed what, and when.',
  plants: 'A sample store, for first steps.',
  health: 'The state of the service itself.',
  reference: 'Descriptions of this interface, for programs and for people.',
};
