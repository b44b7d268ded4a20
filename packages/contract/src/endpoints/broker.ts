import {
  BrokerAnswer,
  checkBrokerLogin,
  checkBrokerQuery,
  checkBrokerTopicUse,
} from '../link/broker-questions.ts';
import { plain } from './declaration/answers.ts';
import { body, endpoint } from './declaration/endpoint.ts';

export const FORM_TYPE = 'application/x-www-form-urlencoded';

const COMMON = {
  needsKey: false,
  isAudited: false,
  query: checkBrokerQuery,
  answers: { 200: plain(BrokerAnswer), 403: plain(BrokerAnswer) },
  errors: ['unauthorized', 'too_many_failed_logins', 'storage_unavailable'],
} as const;

/**
 * What an external broker asks, with a secret of its own. Programs have no use for it, so it is not among `endpoints`: neither the
 * references nor the client have it.
 */
export const brokerQuestions = {
  login: endpoint('api', 'POST', '/broker/auth', {
    ...COMMON,
    summary: 'Tells a broker whether a client may log in.',
    body: body(checkBrokerLogin, 'login', [FORM_TYPE]),
    examples: [],
  }),
  topicUse: endpoint('api', 'POST', '/broker/acl', {
    ...COMMON,
    summary: 'Tells a broker whether a client may use a topic.',
    body: body(checkBrokerTopicUse, 'use of a topic', [FORM_TYPE]),
    examples: [],
  }),
};
