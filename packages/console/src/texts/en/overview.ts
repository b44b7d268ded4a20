import { pluralOf } from '../plural.ts';

const plural = pluralOf('en');

export const overview = {
  emptyNext:
    'A device that is registered appears here with its first message: its level, when it will be empty, and what it needs.',
  register: 'Register a device',
  howToConnect: 'How devices connect',
  title: 'Overview',
  empty: 'There are no devices yet. Register one under Administration.',
  nothingFound: 'No device matches.',
  attention: 'Needs attention',
  nothingNeedsAttention: 'Nothing needs attention.',
  attentionUnknown: 'Not known: this page is not live.',
  attentionLastKnown: 'This page is not live. What needed attention when the connection was lost:',
  flood: (devices: number, facilities: number) =>
    `${plural(devices, { one: '# device', other: '# devices' })}${facilities === 1 ? '' : ` at ${facilities} facilities`}`,
  showAll: (count: number) => `Show all ${count}`,
  devices: (count: number) => plural(count, { one: '# device', other: '# devices' }),
  profile: 'Kind of device',
  anyProfile: 'Every kind',
  grouping: 'Grouping',
  groupings: { place: 'By place', none: 'One list' },
  sort: 'Order',
  sorts: {
    attention: 'Attention first',
    name: 'By name',
    level: 'Lowest level first',
    empty: 'Empty soonest first',
  },
  show: 'Show',
  shows: { all: 'All', needs_me: 'Needs me', moving: 'Moving', low: 'Low', stale: 'Stale' },
  view: 'Form',
  views: { tiles: 'Tiles', table: 'Table' },
  columns: {
    zone: 'Zone',
    stock: 'Stock',
    empty: 'Empty',
    order: 'Order by',
    alerts: 'Alerts',
    age: 'Last seen',
  },
  stock: (mass: string) => `${mass} in store`,
  thresholds: { low_level: 'Low level', high_level: 'High level', critical_level: 'Critical level' },
  levelOf: (name: string, level: string | null) => `${name}: ${level ?? 'level never reported'}`,
  lastDay: 'Level of the last 24 hours',
  room: (mass: string) => `${mass} room`,
  points: (count: number) => plural(count, { one: '# point', other: '# points' }),
  changeOfDay: (change: string) => `${change} in 24 h`,
  noReading: 'No reading yet',
  declaredSensors: (count: number) => plural(count, { one: '+# sensor', other: '+# sensors' }),
  onMap: 'Map',
  states: {
    idle: 'Idle',
    emergencyStop: 'Emergency stop',
    emergencyStopUnconfirmed: 'Emergency stop not confirmed',
    missions: {
      dispatched: 'Mission sent',
      in_progress: 'On a mission',
      paused: 'Mission paused',
    } as Readonly<Record<string, string>>,
  },
};
