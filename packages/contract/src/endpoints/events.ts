import { checkEventQuery } from '../events.ts';
import { LoggedEvent } from '../logged-event.ts';
import { eventStream } from './declaration/answers.ts';
import { endpoint } from './declaration/endpoint.ts';
import type { Slice } from './declaration/slice.ts';

const endpoints = {
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

export const events = {
  description: 'Every change of state, as a stream.',
  endpoints,
  schemas: { LoggedEvent },
} satisfies Slice;
