import { Type } from 'typebox';
import { id } from '../input/text-schemas.ts';
import { PasskeyAssertion, PasskeyChallenge } from '../passkeys.ts';
import {
  checkSignIn,
  checkSignInCodeRequest,
  SessionListed,
  SessionRecord,
  SignIn,
  SignInCode,
} from '../session.ts';
import { one } from './declaration/answers.ts';
import { body, endpointsWith, optionalBody } from './declaration/endpoint.ts';
import type { Slice } from './declaration/slice.ts';

const endpoint = endpointsWith({
  session_id: {
    schema: id(),
    description: 'the id of a session, which is not its secret',
    notFound: 'session_not_found',
    example: '4f0c9a1b2d3e5f60718293a4',
  },
});

/** The tests start a service with this key. */
export const EXAMPLE_KEY = 'gk_00000000000000000000000000000000000000002kaqcA';

/** Sign-in for browsers: a session is another secret of an API key, in a cookie that no script can read. */
const endpoints = {
  create: endpoint('api', 'POST', '/session', {
    summary:
      'Signs in with an API key, a sign-in code, or as a person: sets a cookie. A wrong password and an unknown name get one answer.',
    needsKey: false,
    body: body(checkSignIn, 'sign-in'),
    answers: { 200: one(SessionRecord, { headers: ['set-cookie'] }) },
    errors: [
      'unauthorized',
      'second_factor_required',
      'cross_site_request',
      'too_many_failed_logins',
      'password_refused',
      'rate_limited',
      'storage_unavailable',
    ],
    examples: [
      { summary: 'with an API key', body: { api_key: EXAMPLE_KEY } },
      {
        summary: 'with a code that was used before',
        body: { code: 'gc_rCWBrFoDThRPvYkMJJ5bK7eFcT04lkCv' },
        refusal: 'unauthorized',
      },
      {
        summary: 'as a person, with a wrong password',
        body: { login: 'ada', password: 'not the password' },
        refusal: 'unauthorized',
      },
    ],
  }),
  challenge: endpoint('api', 'POST', '/session/challenge', {
    summary: 'Makes a challenge that a passkey signs, to sign in or to be added.',
    needsKey: false,
    isAudited: false,
    answers: { 200: one(PasskeyChallenge) },
    errors: ['cross_site_request', 'storage_unavailable'],
    examples: [{ summary: 'a challenge' }],
  }),
  list: endpoint('api', 'GET', '/sessions', {
    summary: 'Lists the browsers that have signed in as the caller.',
    answers: { 200: one(Type.Array(SessionListed)) },
    examples: [{ summary: 'the sessions' }],
  }),
  endOthers: endpoint('api', 'DELETE', '/sessions', {
    summary: 'Ends the other sessions of the caller, and answers those that are left.',
    answers: { 200: one(Type.Array(SessionListed)) },
    examples: [{ summary: 'all others' }],
  }),
  endOne: endpoint('api', 'DELETE', '/sessions/{session_id}', {
    summary: 'Ends one of the sessions of the caller.',
    answers: { 200: one(SessionListed) },
    examples: [
      { summary: 'one of them' },
      { summary: 'an unknown session', parameters: { session_id: 'none' }, refusal: 'session_not_found' },
    ],
  }),
  get: endpoint('api', 'GET', '/session', {
    summary: 'Shows what the caller may do, by cookie or by key.',
    answers: { 200: one(SessionRecord, { headers: ['set-cookie'] }) },
    examples: [{ summary: 'the caller' }],
  }),
  end: endpoint('api', 'DELETE', '/session', {
    summary: 'Signs out: ends the session of the cookie and removes the cookie. A key stays as it is.',
    answers: { 200: one(SessionRecord, { headers: ['set-cookie'] }) },
    examples: [{ summary: 'sign out' }],
  }),
  createCode: endpoint('api', 'POST', '/session/codes', {
    summary:
      'Makes a code with which a browser can sign in once with the rights of the caller. It ends with the session that made it, and so does what was signed in with it.',
    body: optionalBody(checkSignInCodeRequest, 'request'),
    answers: { 200: one(SignInCode) },
    examples: [
      { summary: 'a code for ten minutes' },
      { summary: 'a code for a day', body: { valid_seconds: 86_400 } },
    ],
  }),
};

export const session = {
  description: 'Sign-in for browsers, with a cookie in place of the key.',
  endpoints,
  schemas: { SessionRecord, SignIn, SignInCode, PasskeyAssertion, PasskeyChallenge },
} satisfies Slice;
