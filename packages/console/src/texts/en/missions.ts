export const missions = {
  progress: 'Progress',
  waypointsReached: (reached: number, all: number) => `${reached} of ${all} waypoints`,
  emergencyStopOf: (name: string) => `Emergency stop of ${name}`,
};
