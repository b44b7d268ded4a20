import { Actor, AUDIT_RESULTS, AuditEntry, checkAuditQuery, Difference } from '../audit.ts';
import { pageOf } from './declaration/answers.ts';
import { endpoint } from './declaration/endpoint.ts';
import type { Slice } from './declaration/slice.ts';

const endpoints = {
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

export const audit = {
  description: 'Who changed what, and when.',
  endpoints,
  schemas: { Actor, AuditEntry, Difference },
  values: { AUDIT_RESULTS },
} satisfies Slice;
