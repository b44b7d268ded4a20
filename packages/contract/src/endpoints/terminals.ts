import { Type } from 'typebox';
import { checkPageQuery } from '../envelope.ts';
import { id } from '../input/text-schemas.ts';
import { SessionRecord } from '../session.ts';
import {
  checkNewTerminal,
  checkTerminalSignIn,
  NewTerminal,
  TERMINAL_IDLE_MS,
  TERMINAL_KINDS,
  Terminal,
  TerminalLink,
  TerminalPerson,
  TerminalSignIn,
} from '../terminals.ts';
import { one, pageOf } from './declaration/answers.ts';
import { body, endpointsWith } from './declaration/endpoint.ts';
import type { Slice } from './declaration/slice.ts';

const endpoint = endpointsWith({
  terminal_id: {
    schema: id(),
    description: 'the id of a terminal or a display',
    notFound: 'terminal_not_found',
    example: 'trm_019a86c5f3c07b2a',
  },
});

/** Shared terminals, screens on a wall, and the people who sign in at a terminal. */
const endpoints = {
  list: endpoint('api', 'GET', '/terminals', {
    scope: 'admin',
    summary: 'Lists the terminals and displays whose facilities the caller administers.',
    query: checkPageQuery,
    answers: { 200: pageOf(Terminal) },
    examples: [{ summary: 'the first page' }],
  }),
  enrol: endpoint('api', 'POST', '/terminals', {
    scope: 'admin',
    summary: 'Adds a terminal or a display, and answers the code of the one-time link for its browser.',
    body: body(checkNewTerminal, 'terminal'),
    answers: { 200: one(TerminalLink) },
    errors: ['terminal_limit_reached'],
    examples: [
      { summary: 'a terminal', body: { name: 'Mill, door', kind: 'terminal', facilities: ['north'] } },
      { summary: 'a display', body: { name: 'Mill, wall', kind: 'display', facilities: ['north'] } },
    ],
  }),
  end: endpoint('api', 'POST', '/terminals/{terminal_id}/end', {
    scope: 'admin',
    summary: 'Ends a terminal or a display within a second. Repeating it changes nothing.',
    answers: { 200: one(Terminal) },
    examples: [
      { summary: 'a terminal' },
      {
        summary: 'an unknown terminal',
        parameters: { terminal_id: 'trm_none' },
        refusal: 'terminal_not_found',
      },
    ],
  }),
  people: endpoint('api', 'GET', '/session/people', {
    summary: 'At a terminal: lists who may sign in there, which are those who operate in its facilities.',
    answers: { 200: one(Type.Array(TerminalPerson)) },
    errors: ['forbidden'],
    examples: [{ summary: 'the people' }],
  }),
  signIn: endpoint('api', 'PUT', '/session/person', {
    summary:
      'At a terminal: signs a person in over its session, in place of whoever was signed in. What is done then is theirs, at the places of the terminal.',
    body: body(checkTerminalSignIn, 'sign-in'),
    answers: { 200: one(SessionRecord) },
    errors: [
      'forbidden',
      'wrong_pin',
      'wrong_password',
      'password_required',
      'second_factor_required',
      'wrong_code',
    ],
    examples: [
      { summary: 'with the PIN', body: { login: 'grace', pin: '4071' } },
      {
        summary: 'with a wrong password',
        body: { login: 'grace', password: 'not the password' },
        refusal: 'wrong_password',
      },
    ],
  }),
  stay: endpoint('api', 'PUT', '/session/person/presence', {
    summary: 'At a terminal: the person is still there. Without it the terminal is locked after 5 minutes.',
    isAudited: false,
    answers: { 200: one(SessionRecord) },
    errors: ['forbidden'],
    examples: [{ summary: 'still there' }],
  }),
  lock: endpoint('api', 'DELETE', '/session/person', {
    summary: 'At a terminal: locks it. It goes on to show everything, and can stop.',
    answers: { 200: one(SessionRecord) },
    errors: ['forbidden'],
    examples: [{ summary: 'lock' }],
  }),
};

export const terminals = {
  description: 'Shared terminals and displays, and the people who sign in at a terminal.',
  endpoints,
  schemas: { NewTerminal, Terminal, TerminalLink, TerminalPerson, TerminalSignIn },
  values: { TERMINAL_KINDS, TERMINAL_IDLE_MS },
} satisfies Slice;
