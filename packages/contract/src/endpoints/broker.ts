import { type Static, Type } from 'typebox';
import { checker, closed } from '../input/schema.ts';
import { plain } from './declaration/answers.ts';
import { body, endpoint } from './declaration/endpoint.ts';

export const FORM_TYPE = 'application/x-www-form-urlencoded';

/** Longer than any text of MQTT. */
const MqttText = Type.String({ maxLength: 65_535 });

/** Whether a client may log in, as mosquitto-go-auth asks it, and EMQX with such a body. */
const BrokerLogin = closed({ username: MqttText, password: MqttText, clientid: MqttText });

/** 1: receive a message, 2: publish, 3: both, 4: subscribe; a form has texts only. */
const MosquittoAccess = Type.Union([
  Type.Integer({ minimum: 1, maximum: 4 }),
  Type.String({ pattern: '^[1-4]$' }),
]);

/** Whether a client may use a topic: with `acc` as mosquitto-go-auth asks it, with `action` as EMQX. */
export const BrokerTopicUse = closed({
  username: MqttText,
  clientid: MqttText,
  topic: MqttText,
  acc: Type.Optional(MosquittoAccess),
  action: Type.Optional(Type.Enum(['publish', 'subscribe'])),
});

/** For brokers that read the body: `result` and `is_superuser` are those of EMQX, `ok` and `error` those of mosquitto-go-auth. */
export const BrokerAnswer = closed({
  result: Type.Enum(['allow', 'deny']),
  is_superuser: Type.Literal(false),
  ok: Type.Boolean(),
  error: Type.String(),
});

/** The status of a denial: some brokers look at nothing else, and others ignore every answer that is not 200. */
const BrokerQuery = closed({ deny: Type.Optional(Type.Enum(['200', '403'])) });

export type BrokerTopicUse = Static<typeof BrokerTopicUse>;
export type BrokerAnswer = Static<typeof BrokerAnswer>;

const checkBrokerLogin = checker(BrokerLogin);
const checkBrokerTopicUse = checker(BrokerTopicUse);
const checkBrokerQuery = checker(BrokerQuery);

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
