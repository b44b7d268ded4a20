import { checkHistoryExportQuery, checkReadingsQuery, HistoryRow, RawReading } from '../exports.ts';
import { rowsOf } from './declaration/answers.ts';
import { endpoint } from './declaration/endpoint.ts';
import type { Slice } from './declaration/slice.ts';

/** Answers with the data of many devices, as long as their range requires. */
const endpoints = {
  /** The rows are ordered by time. */
  readings: endpoint('api', 'GET', '/readings', {
    scope: 'read',
    summary: 'Exports raw readings of any devices and range, as CSV or as one JSON object per line.',
    query: checkReadingsQuery,
    answers: { 200: rowsOf(RawReading) },
    errors: ['device_not_found', 'export_limit_reached'],
    examples: [
      { summary: 'every reading of the last day' },
      {
        summary: 'what the silos of one facility measured on one day, their contents in percent',
        query: {
          facility: 'north',
          profile: 'silo_scale',
          unit: 'percent',
          format: 'ndjson',
          from: '2026-11-14T00:00:00Z',
          to: '2026-11-15T00:00:00Z',
        },
      },
      { summary: 'a device that is not there', query: { device_id: 'none' }, refusal: 'device_not_found' },
    ],
  }),
  /** The rows are ordered by device, sensor and time. */
  history: endpoint('api', 'GET', '/history', {
    scope: 'read',
    summary: 'Exports the history of any devices and range, one row for each interval that has readings.',
    query: checkHistoryExportQuery,
    answers: { 200: rowsOf(HistoryRow) },
    errors: ['device_not_found', 'export_limit_reached'],
    examples: [
      { summary: 'the hourly means of the last day' },
      {
        summary: 'the days of one month in Berlin, in kg',
        query: {
          profile: 'silo_scale',
          interval: '1d',
          tz: 'Europe/Berlin',
          unit: 'kg',
          format: 'ndjson',
          from: '2026-10-01T00:00:00Z',
          to: '2026-11-01T00:00:00Z',
        },
      },
      {
        summary: 'a place without a time zone',
        query: { tz: 'Berlin', interval: '1d' },
        refusal: 'invalid_input',
      },
    ],
  }),
};

export const exports = {
  description: 'Files with readings and history of many devices.',
  endpoints,
} satisfies Slice;
