import type { missions as english } from '../en/missions.ts';

export const missions: typeof english = {
  progress: 'Fortschritt',
  waypointsReached: (reached, all) => `${reached} von ${all} Wegpunkten`,
  emergencyStopOf: (name) => `Not-Halt von ${name}`,
};
