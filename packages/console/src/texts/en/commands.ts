export const commands = {
  title: 'Commands',
  none: 'No command was given yet.',
  names: {
    move_to_coordinates: 'Go to a place',
    hold: 'Hold',
    resume: 'Resume',
    return_to_base: 'Return to base',
    scan: 'Scan',
    collect_sample: 'Collect a sample',
    emergency_stop: 'Emergency stop',
    release_emergency_stop: 'Release of the emergency stop',
  },
  consequences: {
    hold: 'The vehicle stops and stays where it is.',
    resume: 'The vehicle goes on with what it was doing before it was told to hold: it will move.',
    return_to_base: 'The vehicle leaves what it is doing and goes to its base: it will move.',
    scan: 'The vehicle scans where it is.',
    collect_sample: 'The vehicle takes a sample where it is.',
  },
  stopUnconfirmed: 'Emergency stop requested. The device has not confirmed that it stands still.',
  standsStill: 'Emergency stop in force. The device has confirmed that it stands still.',
  stopInForce: 'Commands and missions are refused until the emergency stop is released.',
  release: 'Release the emergency stop',
  releaseMeans:
    'Look first that nobody is near the vehicle. The release moves nothing by itself, but commands and missions can move the vehicle again.',
};
