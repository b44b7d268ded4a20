import { FAULTS_FOUND } from './foresight.ts';
import type { Sentence } from './sentence.ts';

/** The `message` of alerts, by its code. */
export const ALERTS = {
  level_below: { level: 'percent', limit: 'number' },
  level_above: { level: 'percent', limit: 'number' },
  battery_below: { level: 'percent', limit: 'number' },
  sensor_above: { sensor: 'sensor', value: 'quantity', limit: 'quantity' },
  sensor_below: { sensor: 'sensor', value: 'quantity', limit: 'quantity' },
  sensor_above_named: { name: 'text', sensor: 'sensor', value: 'quantity', limit: 'quantity' },
  sensor_below_named: { name: 'text', sensor: 'sensor', value: 'quantity', limit: 'quantity' },
  sensors_silent: { sensors: 'list', more: 'number?' },
  sensors_implausible: { sensors: 'clauses', more: 'number?' },
  went_offline: {},
  went_offline_during: { job: 'job' },
  readings_refused: { cause: 'part', messages: 'number', since: 'time' },
  readings_partly_refused: { cause: 'part', messages: 'number', since: 'time' },
  clock_ahead_or_late: { offset: 'duration' },
  clock_behind_or_late: { offset: 'duration' },
  two_clients: { takeovers: 'number', addresses: 'names' },
  two_clients_same_address: { takeovers: 'number', address: 'text' },
  two_clients_or_bad_link: { takeovers: 'number' },
  maintenance_overdue: { due: 'time' },
  operation_stalled: { operation: 'part', moved: 'quantity?', why: 'part' },
  operation_overran: { operation: 'part', moved: 'quantity?', why: 'part' },
  operation_refused: { operation: 'part', why: 'part' },
  operation_outcome_unknown: { operation: 'part', why: 'part' },
  operation_declared_ended: { operation: 'part', why: 'part' },
  operation_broke_off: { operation: 'part', moved: 'quantity?', why: 'part' },
  operation_stop_unconfirmed: { operation: 'part' },
  operation_unasked: {},
  feed_unasked: {},
  discharge_unasked: {},
  operation_imbalance: {
    operation: 'part',
    reported: 'quantity',
    measured: 'quantity',
    difference: 'number',
  },
  outside_fence: { place: 'place', action: 'failsafe' },
  mission_ended_badly: { mission: 'mission', status: 'missionStatus', why: 'part?' },
  mission_start_unanswered: { mission: 'mission' },
  mission_pause_unconfirmed: { mission: 'mission' },
  mission_end_unconfirmed: { mission: 'mission' },
  stop_unconfirmed: { answer: 'part?' },
  may_run_empty: { left: 'duration' },
  nothing_usable_left: {},
  ...FAULTS_FOUND,
} as const;

/** The message of an alert. */
export type AlertMessage = Sentence<keyof typeof ALERTS>;
