import { Type } from 'typebox';
import { checkPageQuery } from '../envelope.ts';
import { closed, described } from '../input/schema.ts';
import {
  checkKeyAssignment,
  checkKeyRotation,
  checkNewKey,
  IssuedKey,
  KeyAssignment,
  KeyRecord,
  KeyRotation,
  NewKey,
  ROLES,
  SCOPES,
} from '../keys.ts';
import { one, pageOf } from './declaration/answers.ts';
import { body, endpoint, optionalBody } from './declaration/endpoint.ts';
import type { Slice } from './declaration/slice.ts';
import { EXAMPLE_PERSON_ID } from './people.ts';

const endpoints = {
  list: endpoint('api', 'GET', '/keys', {
    scope: 'admin',
    summary: 'Lists the API keys, without the keys themselves.',
    query: checkPageQuery,
    answers: { 200: pageOf(KeyRecord) },
    examples: [{ summary: 'the first page' }],
  }),
  create: endpoint('api', 'POST', '/keys', {
    scope: 'admin',
    summary: 'Issues an API key, and answers it this once.',
    body: body(checkNewKey, 'key'),
    answers: { 200: one(IssuedKey) },
    examples: [
      { summary: 'a key for a display', body: { name: 'display in the office', scopes: ['read'] } },
      {
        summary: 'a key for one facility and one year',
        body: {
          name: 'operators north',
          scopes: ['read', 'operate'],
          facilities: ['north'],
          expires_at: '2027-11-15T00:00:00Z',
        },
      },
    ],
  }),
  revoke: endpoint('api', 'DELETE', '/keys/{key_id}', {
    scope: 'admin',
    summary: 'Ends an API key at once.',
    answers: { 200: one(KeyRecord) },
    examples: [
      { summary: 'a key' },
      { summary: 'an unknown key', parameters: { key_id: 'key_none' }, refusal: 'key_not_found' },
    ],
  }),
  /** Issues a successor; the old key stays valid during the overlap. */
  rotate: endpoint('api', 'POST', '/keys/{key_id}/rotate', {
    scope: 'admin',
    summary:
      'Issues a successor with the same rights; the old key works for the overlap, an hour if none is given. A personal key is renewed by its owner only.',
    body: optionalBody(checkKeyRotation, 'rotation'),
    answers: { 200: one(IssuedKey) },
    examples: [
      { summary: 'with the usual overlap' },
      { summary: 'with an overlap of one minute', body: { overlap_seconds: 60 } },
    ],
  }),
  assign: endpoint('api', 'POST', '/keys/{key_id}/assign', {
    scope: 'admin',
    summary:
      'Takes over a key that people used as one’s own: its secret stays, and from then on it is the person who calls, with at most the rights of both. Only this person asks for it, signed in.',
    body: body(checkKeyAssignment, 'assignment'),
    answers: { 200: one(KeyRecord) },
    errors: ['person_not_found', 'key_not_assignable'],
    examples: [
      { summary: 'to the person who asks', body: { person_id: EXAMPLE_PERSON_ID } },
      { summary: 'to nobody', body: { person_id: 'per_none' }, refusal: 'person_not_found' },
    ],
  }),
};

export const keys = {
  description: 'API keys with their scopes and limits.',
  endpoints,
  schemas: { IssuedKey, KeyAssignment, KeyRecord, KeyRotation, NewKey },
  events: {
    'key.issued': KeyRecord,
    'key.rotated': closed({
      ...KeyRecord.properties,
      replaces: described('The id of the old key.', Type.String()),
    }),
    'key.revoked': KeyRecord,
  },
  values: { SCOPES, ROLES },
} satisfies Slice;
