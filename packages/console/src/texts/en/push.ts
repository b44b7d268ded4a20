/** The words of the settings for messages on phones and other devices. */
export const push = {
  title: 'Notifications on this device',
  means:
    'Alerts, and operations that have ended, reach this device also while the page is closed. What is sent is encrypted; the push service of the browser cannot read it.',
  obstacles: {
    encryption: 'Browsers allow this only with HTTPS. Ask those who run the service for it.',
    install:
      'On an iPhone or iPad first add this page to the home screen (Share, Add to Home Screen), and open it from there.',
    denied:
      'This browser refuses notifications of this page. Allow them in the settings of the browser for this address.',
    browser: 'This browser knows no Web Push.',
    service: 'The push service of the browser cannot be reached from here.',
  },
  turnOn: 'Turn on',
  turnOff: 'Turn off',
  isOn: 'On: messages reach this device.',
  isOff: 'Off: no message reaches this device.',
  test: 'Send test',
  tested: 'A test is on its way to all your devices.',
  settings: 'What to tell',
  severityMin: 'Alerts from this severity on',
  facilities: 'Only these facilities',
  operations: 'Operations that have ended',
  operationsOf: { none: 'None', own: 'Those that I started', all: 'All' },
  resolved: 'Also tell when an alert is over',
  quietMeans: (zone: string) => `In the time of ${zone}. Operations that end then are not told; alerts wait.`,
  devices: 'Devices that receive messages',
  since: 'Since',
  end: 'End',
  endOf: (browser: string) => `End notifications on ${browser}`,
  endMeans: 'No message reaches this device any more.',
  /** The words of the messages themselves. */
  words: {
    over: 'Over',
    severity_raised: 'More severe',
    present_again: 'Again',
    unshelved: 'No longer shelved',
    not_acknowledged: 'Not acknowledged',
    completed: 'Completed',
    stopped: 'Stopped',
    failed: 'Failed',
    several: 'Alerts',
    test: 'Messages reach this device.',
  } as Readonly<Record<string, string>>,
};
