import { id } from '../input/text-schemas.ts';
import { checkPushSettings, checkPushSubscription, PUSHED_OPERATIONS, PushState } from '../push.ts';
import { one } from './declaration/answers.ts';
import { body, endpointsWith } from './declaration/endpoint.ts';
import type { Slice } from './declaration/slice.ts';

const endpoint = endpointsWith({
  subscription_id: {
    schema: id(),
    description: 'the id of a browser that receives Web Push',
    notFound: 'push_subscription_not_found',
    example: 'psh_019a86c5f3c07b2a',
  },
});

const errors = ['forbidden'] as const;

/** Web Push for a person who has signed in: the browsers that receive messages, and what they are told. */
const endpoints = {
  get: endpoint('api', 'GET', '/me/push', {
    summary: 'Shows which browsers of the person receive Web Push, and what it tells.',
    answers: { 200: one(PushState) },
    errors,
    examples: [{ summary: 'the browsers and settings' }],
  }),
  change: endpoint('api', 'PUT', '/me/push', {
    summary: 'Sets what the person is told by Web Push.',
    body: body(checkPushSettings, 'push settings'),
    answers: { 200: one(PushState) },
    errors,
    examples: [
      {
        summary: 'critical alerts only, with quiet hours',
        body: {
          severity_min: 'critical',
          facilities: ['north'],
          operations: 'own',
          resolved: true,
          quiet_hours: { from: '22:00', to: '06:00' },
        },
      },
    ],
  }),
  /** PUT is used because a browser repeats the request at each start. */
  subscribe: endpoint('api', 'PUT', '/me/push/subscription', {
    summary: 'Registers this browser: what `PushManager.subscribe` has answered there.',
    body: body(checkPushSubscription, 'push subscription'),
    answers: { 200: one(PushState) },
    errors,
    examples: [
      {
        summary: 'a browser, with the keys of the example of RFC 8291',
        body: {
          endpoint: 'https://fcm.googleapis.com/fcm/send/example',
          keys: {
            p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
            auth: 'BTBZMqHH6r4Tts7J_aSIgg',
          },
        },
      },
      {
        summary: 'with a key that is no point of the curve',
        body: {
          endpoint: 'https://fcm.googleapis.com/fcm/send/example',
          keys: { p256dh: 'A'.repeat(87), auth: 'A'.repeat(22) },
        },
        refusal: 'invalid_input',
      },
    ],
  }),
  unsubscribe: endpoint('api', 'DELETE', '/me/push/subscriptions/{subscription_id}', {
    summary: 'Ends Web Push to a browser of the person.',
    answers: { 200: one(PushState) },
    errors,
    examples: [{ summary: 'an unknown one', refusal: 'push_subscription_not_found' }],
  }),
  test: endpoint('api', 'POST', '/me/push/test', {
    summary: 'Sends a test to every browser of the person.',
    answers: { 200: one(PushState) },
    errors: ['forbidden', 'push_subscription_not_found'],
    examples: [{ summary: 'without a browser', refusal: 'push_subscription_not_found' }],
  }),
};

export const push = {
  description: 'Messages to the browsers of a person.',
  endpoints,
  values: { PUSHED_OPERATIONS },
} satisfies Slice;
