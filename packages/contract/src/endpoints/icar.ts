import { checkIcarQuery, IcarFeedStorages } from '../icar.ts';
import { plain } from './declaration/answers.ts';
import { endpoint } from './declaration/endpoint.ts';
import type { Slice } from './declaration/slice.ts';

/** The endpoints for herd management programs that read the ICAR Animal Data Exchange. */
const endpoints = {
  feedStorage: endpoint('api', 'GET', '/icar/feed-storage', {
    scope: 'read',
    summary: 'Lists the silos as feed storage resources of ICAR ADE 1.4, without an envelope.',
    query: checkIcarQuery,
    answers: { 200: plain(IcarFeedStorages) },
    examples: [
      { summary: 'every silo' },
      { summary: 'those of one facility', query: { facility: 'north', limit: '10' } },
    ],
  }),
};

export const icar = {
  description: 'Silos for programs that read the ICAR Animal Data Exchange.',
  endpoints,
} satisfies Slice;
