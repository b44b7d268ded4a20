export const operations = {
  types: { feed: 'Feed', discharge: 'Discharge' },
  unknownType: 'Movement started at the device',
  into: (target: string) => `into ${target}`,
  progress: 'Progress',
  left: (duration: string) => `about ${duration} left`,
  stopOf: (name: string) => `Stop ${name}`,
  statuses: {
    started: 'Started',
    in_progress: 'In progress',
    stopping: 'Stopping',
    unconfirmed: 'Unconfirmed',
    completed: 'Completed',
    stopped: 'Stopped',
    failed: 'Failed',
  },
};
