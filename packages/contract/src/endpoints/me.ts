import { Type } from 'typebox';
import { id } from '../input/text-schemas.ts';
import { checkNewKey, IssuedKey, KeyRecord } from '../keys.ts';
import {
  checkCurrentPassword,
  checkNewPin,
  checkPasswordChange,
  checkSecondFactorChange,
  Me,
  SecondFactor,
  SecondFactorChange,
} from '../me.ts';
import { checkNewPasskey, NewPasskey, Passkey } from '../passkeys.ts';
import { one } from './declaration/answers.ts';
import { body, endpointsWith } from './declaration/endpoint.ts';
import type { Slice } from './declaration/slice.ts';

const endpoint = endpointsWith({
  passkey_id: {
    schema: id(),
    description: 'the id of a passkey',
    notFound: 'passkey_not_found',
    example: '4f0c9a1b2d3e5f60718293a4',
  },
});

/** The tests sign in as a person with this password. */
export const EXAMPLE_PASSWORD = 'three geese behind the barn';

/** The endpoints for people who have signed in; an API key has nothing of its own to change. */
const endpoints = {
  get: endpoint('api', 'GET', '/me', {
    summary: 'Shows the person who has signed in.',
    answers: { 200: one(Me) },
    errors: ['forbidden'],
    examples: [{ summary: 'the caller' }],
  }),
  changePassword: endpoint('api', 'PUT', '/me/password', {
    summary: 'Replaces the password, and ends the other sessions and open links of the person.',
    body: body(checkPasswordChange, 'password'),
    answers: { 200: one(Me) },
    errors: ['forbidden', 'wrong_password', 'password_refused'],
    examples: [
      {
        summary: 'another password',
        body: { current_password: EXAMPLE_PASSWORD, password: 'four geese behind the barn' },
      },
      {
        summary: 'with a wrong present one',
        body: { current_password: 'two geese', password: 'four geese behind the barn' },
        refusal: 'wrong_password',
      },
    ],
  }),
  /** PUT is used because no part of a password may be stored for repetitions. */
  changeSecondFactor: endpoint('api', 'PUT', '/me/second-factor', {
    summary:
      'Sets up a second factor with the first code of an authenticator app, and answers the recovery codes this once; without a secret it removes it.',
    body: body(checkSecondFactorChange, 'second factor'),
    answers: { 200: one(SecondFactor) },
    errors: ['forbidden', 'wrong_password', 'wrong_code', 'password_refused'],
    examples: [
      { summary: 'none', body: { current_password: EXAMPLE_PASSWORD, secret: null } },
      {
        summary: 'with a code that is too old',
        body: {
          current_password: EXAMPLE_PASSWORD,
          secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
          code: '000000',
        },
        refusal: 'wrong_code',
      },
    ],
  }),
  addPasskey: endpoint('api', 'PUT', '/me/passkeys', {
    summary:
      'Adds a passkey that the browser has made for a challenge; refused to whoever has no password, because it would outlive what ends their sessions at the identity provider.',
    body: body(checkNewPasskey, 'passkey'),
    answers: { 200: one(Me) },
    errors: ['forbidden', 'wrong_password', 'passkey_needs_password', 'passkey_refused', 'key_limit_reached'],
    examples: [
      {
        summary: 'for a challenge that nobody made',
        body: {
          name: 'phone',
          current_password: EXAMPLE_PASSWORD,
          credential_id: 'AAAA',
          client_data: 'AAAA',
          authenticator_data: 'AAAA',
          public_key: 'AAAA',
        },
        refusal: 'passkey_refused',
      },
    ],
  }),
  removePasskey: endpoint('api', 'PUT', '/me/passkeys/{passkey_id}/removal', {
    summary: 'Removes a passkey; with the password, as it is added.',
    body: body(checkCurrentPassword, 'password'),
    answers: { 200: one(Me) },
    errors: ['forbidden', 'wrong_password'],
    examples: [
      {
        summary: 'an unknown one',
        body: { current_password: EXAMPLE_PASSWORD },
        refusal: 'passkey_not_found',
      },
    ],
  }),
  unlink: endpoint('api', 'PUT', '/me/identities/removal', {
    summary: 'The identity provider does not let the person in any more; refused to whoever has no password.',
    body: body(checkCurrentPassword, 'password'),
    answers: { 200: one(Me) },
    errors: ['forbidden', 'wrong_password'],
    examples: [{ summary: 'a person', body: { current_password: EXAMPLE_PASSWORD } }],
  }),
  keys: endpoint('api', 'GET', '/me/keys', {
    summary: 'Lists the keys of the person, without the keys themselves.',
    answers: { 200: one(Type.Array(KeyRecord)) },
    errors: ['forbidden'],
    examples: [{ summary: 'the keys' }],
  }),
  createKey: endpoint('api', 'POST', '/me/keys', {
    summary:
      'Issues a key with which a program acts as the person, and answers it this once. It never allows more than the person may do at that moment, and ends with the person.',
    body: body(checkNewKey, 'key'),
    answers: { 200: one(IssuedKey) },
    errors: ['forbidden', 'key_limit_reached'],
    examples: [{ summary: 'a key that only reads', body: { name: 'spreadsheet', scopes: ['read'] } }],
  }),
  revokeKey: endpoint('api', 'DELETE', '/me/keys/{key_id}', {
    summary: 'Ends a key of the person at once. A key may also end itself.',
    answers: { 200: one(KeyRecord) },
    errors: ['forbidden'],
    examples: [
      { summary: 'a key' },
      { summary: 'an unknown key', parameters: { key_id: 'key_none' }, refusal: 'key_not_found' },
    ],
  }),
  setPin: endpoint('api', 'PUT', '/me/pin', {
    summary: 'Sets the PIN with which the person signs in at shared terminals.',
    body: body(checkNewPin, 'PIN'),
    answers: { 200: one(Me) },
    errors: ['forbidden', 'wrong_password'],
    examples: [
      { summary: 'a PIN', body: { current_password: EXAMPLE_PASSWORD, pin: '4071' } },
      {
        summary: 'one that is easy to guess',
        body: { current_password: EXAMPLE_PASSWORD, pin: '1234' },
        refusal: 'invalid_input',
      },
    ],
  }),
};

export const me = {
  description: 'The person who has signed in: password, second factor, passkeys, PIN and own keys.',
  endpoints,
  schemas: { Me, SecondFactor, SecondFactorChange, NewPasskey, Passkey },
} satisfies Slice;
