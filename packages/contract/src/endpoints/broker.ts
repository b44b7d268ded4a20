import { type Static, Type } from 'typebox';
import { checker, closed } from '../input/schema.ts';
import { plain } from './declaration/answers.ts';
import { body, endpoint } from './declaration/endpoint.ts';

export const FORM_TYPE = 'application/x-www-form-urlencoded';

/** MQTT has no longer text. */
const MqttText = Type.String({ maxLength: 65_535 });

/** The question whether a client may log in, as mosquitto-go-auth and EMQX (with such a body) ask it. */
const BrokerLogin = closed({ username: MqttText, password: MqttText, clientid: MqttText });

/** 1 is to receive a message, 2 to publish, 3 both, 4 to subscribe; in a form the number is a text. */
const MosquittoAccess = Type.Union([
  Type.Integer({ minimum: 1, maximum: 4 }),
  Type.String({ pattern: '^[1-4]$' }),
]);

/** The question whether a client may use a topic: mosquitto-go-auth sends `acc`, EMQX sends `action`. */
export const BrokerTopicUse = closed({
  username: MqttText,
  clientid: MqttText,
  topic: MqttText,
  acc: Type.Optional(MosquittoAccess),
  action: Type.Optional(Type.Enum(['publish', 'subscribe'])),
});

/** The answer for brokers that read the body: EMQX reads `result` and `is_superuser`, mosquitto-go-auth `ok` and `error`. */
export const BrokerAnswer = closed({
  result: Type.Enum(['allow', 'deny']),
  is_superuser: Type.Literal(false),
  ok: Type.Boolean(),
  error: Type.String(),
});

/** The HTTP status of a denial: some brokers read only the status, and others ignore every answer that is not 200. */
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
 * The questions of an external broker, which has its own secret. Programs do not need them, so they are not among
 * `endpoints` and neither in the references nor in the client.
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
