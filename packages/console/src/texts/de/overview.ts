import type { overview as english } from '../en/overview.ts';

export const overview: typeof english = {
  title: 'Übersicht',
  empty: 'Es gibt noch keine Geräte. Legen Sie unter Verwaltung eines an.',
  nothingFound: 'Kein Gerät passt dazu.',
  attention: 'Braucht Aufmerksamkeit',
  nothingNeedsAttention: 'Nichts braucht Aufmerksamkeit.',
  devices: (count) => (count === 1 ? '1 Gerät' : `${count} Geräte`),
  status: 'Zustand',
  anyStatus: 'Jeder Zustand',
  profile: 'Art des Geräts',
  anyProfile: 'Jede Art',
  grouping: 'Gruppen',
  groupings: { place: 'Nach Ort', none: 'Eine Liste' },
  sort: 'Reihenfolge',
  sorts: { attention: 'Wichtiges zuerst', name: 'Nach Namen' },
  thresholds: {
    low_level: 'Tiefer Füllstand',
    high_level: 'Hoher Füllstand',
    critical_level: 'Kritischer Füllstand',
  },
  levelOf: (name, level) => `${name}: ${level ?? 'Füllstand nie gemeldet'}`,
  lastDay: 'Füllstand der letzten 24 Stunden',
  room: (mass) => `${mass} Platz`,
  changeOfDay: (change) => `${change} in 24 h`,
  declaredSensors: (count) => (count === 1 ? '+1 Sensor' : `+${count} Sensoren`),
  onMap: 'Karte',
  states: {
    idle: 'Bereit',
    emergencyStop: 'Not-Halt',
    emergencyStopUnconfirmed: 'Not-Halt nicht bestätigt',
    missions: {
      dispatched: 'Auftrag gesendet',
      in_progress: 'Im Auftrag',
      paused: 'Auftrag angehalten',
    },
  },
};
