import { AuditEntry, checkAuditQuery } from '../audit.ts';
import { checkEventQuery } from '../events.ts';
import { LoggedEvent } from '../logged-event.ts';
import { eventStream, pageOf } from './declaration/answers.ts';
import { endpoint } from './declaration/endpoint.ts';

export const audit = {
  /** The newest entries come first; a limited key sees the entries about its devices. */
  list: endpoint('api', 'GET', '/audit', {
    scope: 'admin',
    summary: 'Lists the changes and the refused attempts at changes, newest first.',
    query: checkAuditQuery,
    answers: { 200: pageOf(AuditEntry) },
    examples: [
      { summary: 'the newest' },
      { summary: 'what was refused at one silo', query: { device_id: 'silo-7', result: 'refused' } },
      {
        summary: 'the feeds of one day that a person asked for',
        query: {
          action: 'operations.feed',
          actor: 'Ada',
          from: '2026-11-14T00:00:00Z',
          to: '2026-11-15T00:00:00Z',
        },
      },
      { summary: 'an unknown result', query: { result: 'maybe' as 'done' }, refusal: 'invalid_input' },
    ],
  }),
};

export const events = {
  stream: endpoint('api', 'GET', '/events', {
    scope: 'read',
    summary: 'Streams every change of state that the key may see, as server-sent events without end.',
    requestHeaders: ['last-event-id'],
    query: checkEventQuery,
    answers: { 200: eventStream(LoggedEvent) },
    errors: ['stream_limit_reached'],
    examples: [
      { summary: 'everything from now on' },
      {
        summary: 'alerts of one silo, after event 1',
        query: { device_id: 'silo-7', type: 'alert.raised', last_event_id: '1' },
      },
      { summary: 'an unknown type of event', query: { type: 'weather.changed' }, refusal: 'invalid_input' },
    ],
  }),
};
