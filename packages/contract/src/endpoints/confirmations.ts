import { Confirmation, checkNewConfirmation, NewConfirmation, RECONFIRMATIONS } from '../confirmations.ts';
import { one } from './declaration/answers.ts';
import { body, endpoint } from './declaration/endpoint.ts';
import type { Slice } from './declaration/slice.ts';
import { EXAMPLE_PASSWORD } from './me.ts';

/** People confirm requests that cause movement, if the sign-in policy requires it. */
const endpoints = {
  create: endpoint('api', 'POST', '/confirmations', {
    summary:
      'Confirms one request that is sent next: this action, at this device, with this body, once and within 60 seconds.',
    body: body(checkNewConfirmation, 'confirmation'),
    answers: { 200: one(Confirmation) },
    errors: [
      'device_not_found',
      'wrong_pin',
      'wrong_password',
      'password_required',
      'second_factor_required',
      'wrong_code',
    ],
    examples: [
      {
        summary: 'a feed, with the password',
        body: {
          action: 'operations.feed',
          device_id: 'silo-7',
          body: { amount: 100 },
          password: EXAMPLE_PASSWORD,
        },
      },
      {
        summary: 'with a wrong password',
        body: {
          action: 'operations.feed',
          device_id: 'silo-7',
          body: { amount: 100 },
          password: 'not the password',
        },
        refusal: 'wrong_password',
      },
    ],
  }),
};

export const confirmations = {
  description: 'What people confirm once more before something moves.',
  endpoints,
  schemas: { Confirmation, NewConfirmation },
  values: { RECONFIRMATIONS },
} satisfies Slice;
