import { checkNewestValuesQuery, NewestValues } from '../fleet/newest-values.ts';
import { eventStream } from './declaration/answers.ts';
import { endpoint } from './declaration/endpoint.ts';

export const readings = {
  stream: endpoint('api', 'GET', '/readings/stream', {
    scope: 'read',
    summary:
      'Streams the newest values of the devices that the key may see: first all of them, then what changes, at most once a second. For screens: values that a reader misses are not sent later.',
    query: checkNewestValuesQuery,
    answers: { 200: eventStream(NewestValues) },
    errors: ['stream_limit_reached'],
    examples: [
      { summary: 'all devices' },
      { summary: 'two devices', query: { device_id: 'silo-7,rover-3' } },
      { summary: 'the devices of one facility', query: { facility: 'north' } },
      { summary: 'an id that cannot be one', query: { device_id: 'silo 7' }, refusal: 'invalid_input' },
    ],
  }),
};
