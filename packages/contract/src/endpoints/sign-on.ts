import { Type } from 'typebox';
import { checkPageQuery } from '../envelope.ts';
import {
  AppliedPolicy,
  checkLogoutRequest,
  checkNewIdentityLink,
  checkNewSignInPolicy,
  checkNewSignOn,
  checkPolicyQuery,
  GroupGrant,
  IdentityProviderRecord,
  LoggedOut,
  NewSignInPolicy,
  SignInPolicy,
  SignInRecord,
  SignOnStart,
} from '../sign-on.ts';
import { FORM_TYPE } from './broker.ts';
import { one, pageOf, plain } from './declaration/answers.ts';
import { body, endpoint, optionalBody } from './declaration/endpoint.ts';
import type { Slice } from './declaration/slice.ts';
import { EXAMPLE_PASSWORD } from './me.ts';

/** The refusal if single sign-on is not set up. */
const NOT_SET_UP = 'route_not_found';

/** Single sign-on with an identity provider, and the sign-in policy. */
const endpoints = {
  policy: endpoint('api', 'GET', '/sign-in-policy', {
    scope: 'admin',
    summary: 'Shows how people sign in: what groups of the identity provider may do, and how long.',
    answers: { 200: one(SignInPolicy) },
    examples: [{ summary: 'the policy' }],
  }),
  putPolicy: endpoint('api', 'PUT', '/sign-in-policy', {
    scope: 'admin',
    summary:
      'Replaces the policy; it holds from the next sign-in of each person on. With dry_run=true it only shows whose rights would change.',
    query: checkPolicyQuery,
    body: body(checkNewSignInPolicy, 'policy'),
    answers: { 200: one(AppliedPolicy) },
    examples: [
      {
        summary: 'what would change',
        query: { dry_run: 'true' },
        body: { groups: [{ group: 'silo-operators', role: 'operator', facilities: ['north'] }] },
      },
      {
        summary: 'an administrator of a site without facilities',
        body: { groups: [{ group: 'site', role: 'site_administrator' }] },
        refusal: 'invalid_input',
      },
    ],
  }),
  provider: endpoint('api', 'GET', '/identity-provider', {
    scope: 'admin',
    summary: 'Shows how single sign-on is set up, and whether the identity provider answers.',
    answers: { 200: one(IdentityProviderRecord) },
    errors: [NOT_SET_UP],
    examples: [{ summary: 'the provider' }],
  }),
  signIns: endpoint('api', 'GET', '/people/sign-ins', {
    scope: 'admin',
    summary: 'Lists the last 1,000 sign-ins with the identity provider, also refused ones, newest first.',
    query: checkPageQuery,
    answers: { 200: pageOf(SignInRecord) },
    examples: [{ summary: 'the first page' }],
  }),
  start: endpoint('api', 'POST', '/session/oidc/start', {
    summary:
      'Begins a sign-in with the identity provider: sets a cookie for ten minutes, and answers where the browser goes on.',
    needsKey: false,
    isAudited: false,
    body: optionalBody(checkNewSignOn, 'sign-in'),
    answers: { 200: one(SignOnStart, { headers: ['set-cookie'] }) },
    errors: [NOT_SET_UP, 'cross_site_request', 'sign_on_refused', 'identity_provider_unavailable'],
    examples: [{ summary: 'a sign-in' }],
  }),
  link: endpoint('api', 'POST', '/session/oidc/link', {
    summary:
      'Begins as `start` does; the person who has signed in here can afterwards also sign in with that identity. Whoever has no password needs an invitation in place of it.',
    isAudited: false,
    body: optionalBody(checkNewIdentityLink, 'link'),
    answers: { 200: one(SignOnStart, { headers: ['set-cookie'] }) },
    errors: [NOT_SET_UP, 'forbidden', 'wrong_password', 'identity_provider_unavailable'],
    examples: [
      { summary: 'a person', body: { current_password: EXAMPLE_PASSWORD } },
      { summary: 'a key, which is no person', refusal: 'forbidden' },
    ],
  }),
  callback: endpoint('api', 'GET', '/session/oidc/callback', {
    summary:
      'Where the identity provider sends the browser back: sets the cookie of the session, and answers a page that opens the operators’ page. A browser is told of a refusal by a page, too.',
    needsKey: false,
    isAudited: true,
    answers: { 200: { ...plain(Type.String(), { headers: ['set-cookie'] }), mediaType: 'text/html' } },
    errors: [
      NOT_SET_UP,
      'sign_on_refused',
      'no_role',
      'identity_provider_unavailable',
      'storage_full',
      'storage_unavailable',
    ],
    examples: [
      { summary: 'the end of a sign-in' },
      { summary: 'a browser that has not begun one', refusal: 'sign_on_refused' },
    ],
  }),
  logout: endpoint('api', 'POST', '/session/oidc-logout', {
    summary:
      'Back-channel logout: the identity provider tells that somebody has signed out, and their sessions end on every node within a second.',
    needsKey: false,
    isAudited: true,
    body: body(checkLogoutRequest, 'logout', [FORM_TYPE]),
    answers: { 200: one(LoggedOut) },
    errors: [NOT_SET_UP, 'identity_provider_unavailable', 'storage_unavailable'],
    examples: [
      {
        summary: 'a person has signed out',
        body: { logout_token: 'eyJhbGciOiJSUzI1NiIsInR5cCI6ImxvZ291dCtqd3QifQ' },
      },
      { summary: 'a token of nobody', body: { logout_token: 'none' }, refusal: 'invalid_input' },
    ],
  }),
};

export const signOn = {
  description: 'Sign-in with an identity provider, and the policy for it.',
  endpoints,
  schemas: { AppliedPolicy, GroupGrant, NewSignInPolicy, SignInPolicy },
} satisfies Slice;
