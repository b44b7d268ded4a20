import {
  Acknowledgement,
  ALERT_SEVERITIES,
  ALERT_TYPES,
  Alert,
  checkAcknowledgement,
  checkAlertQuery,
  checkShelving,
  Shelving,
} from '../alerts.ts';
import { id } from '../input/text-schemas.ts';
import type { DeviceGroup } from '../profiles/groups.ts';
import { one, pageOf } from './declaration/answers.ts';
import { body, endpointsWith } from './declaration/endpoint.ts';
import type { Slice } from './declaration/slice.ts';

const endpoint = endpointsWith({
  alert_id: {
    schema: id(),
    description: 'the id of an alert',
    notFound: 'alert_not_found',
    example: 'al_019a86c5f3c07b2a',
  },
});

const alertEndpoints = (group: DeviceGroup) => ({
  /** The newest alerts come first; without a status, only open alerts that are not shelved. */
  list: endpoint(group, 'GET', '/devices/{device_id}/alerts', {
    number: group === 'silo' ? 9 : null,
    scope: 'read',
    summary: 'Lists the alerts of a device, newest first.',
    query: checkAlertQuery,
    answers: { 200: pageOf(Alert) },
    examples: [
      { summary: 'the open alerts' },
      { summary: 'every alert there ever was', query: { status: 'all' } },
    ],
  }),
  get: endpoint(group, 'GET', '/devices/{device_id}/alerts/{alert_id}', {
    scope: 'read',
    summary: 'Shows one alert.',
    answers: { 200: one(Alert) },
    examples: [
      { summary: 'an alert' },
      { summary: 'an unknown alert', parameters: { alert_id: 'al_none' }, refusal: 'alert_not_found' },
    ],
  }),
  acknowledge: endpoint(group, 'POST', '/devices/{device_id}/alerts/{alert_id}/acknowledge', {
    number: group === 'silo' ? 10 : null,
    scope: 'operate',
    summary: 'Acknowledges an alert. Repeating it changes nothing.',
    body: body(checkAcknowledgement, 'acknowledgement'),
    answers: { 200: one(Alert) },
    examples: [{ summary: 'with a note', body: { acknowledged_by: 'Ada', note: 'A truck is on its way.' } }],
  }),
  /** Hides the alert from the default list until a time; its state still changes. */
  shelve: endpoint(group, 'POST', '/devices/{device_id}/alerts/{alert_id}/shelve', {
    scope: 'operate',
    summary: 'Takes an alert out of the usual list until a time; its state goes on.',
    body: body(checkShelving, 'shelving'),
    answers: { 200: one(Alert) },
    examples: [
      {
        summary: 'until the next morning',
        body: { until: '2026-11-16T07:00:00Z', reason: 'The part is ordered.', shelved_by: 'Ada' },
      },
      {
        summary: 'until a time that has passed',
        body: { until: '2026-11-14T07:00:00Z', reason: 'The part is ordered.' },
        refusal: 'invalid_input',
      },
    ],
  }),
  /** Ends the shelving immediately. */
  unshelve: endpoint(group, 'POST', '/devices/{device_id}/alerts/{alert_id}/unshelve', {
    scope: 'operate',
    summary: 'Puts a shelved alert back into the usual list.',
    answers: { 200: one(Alert) },
    examples: [{ summary: 'an alert' }],
  }),
});

const endpoints = { silo: alertEndpoints('silo'), field: alertEndpoints('field') };

export const alerts = {
  description: 'What needs the attention of a person at one device.',
  endpoints,
  schemas: { Acknowledgement, Alert, Shelving },
  events: {
    'alert.raised': Alert,
    'alert.status_changed': Alert,
    'alert.severity_raised': Alert,
    'alert.updated': Alert,
    'alert.shelved': Alert,
    'alert.unshelved': Alert,
  },
  values: { ALERT_TYPES, ALERT_SEVERITIES },
} satisfies Slice;
