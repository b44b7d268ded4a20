import { checkPageQuery } from '../envelope.ts';
import { id } from '../input/text-schemas.ts';
import {
  checkNewPerson,
  checkPersonPatch,
  GrantRecord,
  Invitation,
  NewGrant,
  NewPerson,
  PASSWORD_CHARS_MIN,
  PASSWORD_CHARS_MIN_OF_TWO,
  Person,
  PersonPatch,
} from '../people.ts';
import { one, pageOf } from './declaration/answers.ts';
import { body, endpointsWith } from './declaration/endpoint.ts';
import type { Slice } from './declaration/slice.ts';

export const EXAMPLE_PERSON_ID = 'per_019a86c5f3c07b2a';

const endpoint = endpointsWith({
  person_id: {
    schema: id(),
    description: 'the id of a person',
    notFound: 'person_not_found',
    example: EXAMPLE_PERSON_ID,
  },
});

/** The endpoints for people: who they are, what they may do, and how they sign in. */
const endpoints = {
  list: endpoint('api', 'GET', '/people', {
    scope: 'admin',
    summary: 'Lists the people; for an administrator of some facilities those whose rights are within these.',
    query: checkPageQuery,
    answers: { 200: pageOf(Person) },
    examples: [{ summary: 'the first page' }],
  }),
  invite: endpoint('api', 'POST', '/people', {
    scope: 'admin',
    summary:
      'Adds a person, and answers the code of a one-time link with which the person chooses a password.',
    body: body(checkNewPerson, 'person'),
    answers: { 200: one(Invitation) },
    errors: ['person_exists'],
    examples: [
      {
        summary: 'an operator of one facility',
        body: { login: 'ada', name: 'Ada Lovelace', grants: [{ role: 'operator', facilities: ['north'] }] },
      },
    ],
  }),
  change: endpoint('api', 'PATCH', '/people/{person_id}', {
    scope: 'admin',
    summary: 'Changes the name, the e-mail address or the rights of a person, at once on every node.',
    body: body(checkPersonPatch, 'person'),
    answers: { 200: one(Person) },
    examples: [
      { summary: 'another role', body: { grants: [{ role: 'viewer' }] } },
      {
        summary: 'an unknown person',
        parameters: { person_id: 'per_none' },
        body: { name: 'Nobody' },
        refusal: 'person_not_found',
      },
    ],
  }),
  renew: endpoint('api', 'POST', '/people/{person_id}/invite', {
    scope: 'admin',
    summary: 'Makes a new link, for a lost one or a forgotten password; a disabled person is let in again.',
    answers: { 200: one(Invitation) },
    examples: [{ summary: 'a person' }],
  }),
  disable: endpoint('api', 'POST', '/people/{person_id}/disable', {
    scope: 'admin',
    summary:
      'Ends every session, link and password of a person within a second. Repeating it changes nothing.',
    answers: { 200: one(Person) },
    examples: [{ summary: 'a person' }],
  }),
  unlink: endpoint('api', 'POST', '/people/{person_id}/unlink', {
    scope: 'admin',
    summary:
      'The identity provider does not let the person in any more: ends their identities there, what these grant and the sessions that began with them. Repeating it changes nothing.',
    answers: { 200: one(Person) },
    examples: [{ summary: 'a person' }],
  }),
};

export const people = {
  description: 'Who may do what where: invitations, rights, sign-ins.',
  endpoints,
  schemas: { GrantRecord, Invitation, NewGrant, NewPerson, Person, PersonPatch },
  values: { PASSWORD_CHARS_MIN, PASSWORD_CHARS_MIN_OF_TWO },
} satisfies Slice;
