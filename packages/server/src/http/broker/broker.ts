import {
  type BrokerAnswer,
  type BrokerTopicUse,
  brokerQuestions,
  FORM_TYPE,
} from '@granary/contract/endpoints/broker';
import { Refusal } from '@granary/contract/errors';
import { isDeviceLogin, mayUseTopic } from '@granary/link/topics';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hashSecret, matchesHash } from '../../process/keys/secrets.ts';
import { refusalOfUnknown } from '../access/auth.ts';
import { bearer } from '../access/credentials.ts';
import { acceptAlso } from '../protocol/json-body.ts';
import { registerAtOnce } from '../register.ts';
import type { Parts } from '../route-dependencies.ts';

/**
 * Tells an external broker who may log in and use which topic, by the rules of the embedded broker. Without a secret for the
 * broker there are no such routes.
 */
export function brokerRoutes(
  routes: FastifyInstance,
  { directory, settings, checks: { failedLogins } }: Parts<'settings' | 'directory' | 'checks'>,
): void {
  if (settings.brokerSecret === null) return;
  const secretHash = hashSecret(settings.brokerSecret);
  acceptAlso(routes, FORM_TYPE, async (text) => fieldsOf(text));

  // The secret is checked before the body is read.
  routes.addHook('onRequest', async (request, reply) => {
    const given = bearer(request) ?? basicPassword(request) ?? '';
    if (!matchesHash(given, secretHash))
      throw refusalOfUnknown(failedLogins, 'this secret is not valid', request, reply);
  });

  registerAtOnce(routes, brokerQuestions.login, async ({ request, reply, read }) => {
    const { deny } = read.query(request);
    const { username, password, clientid } = read.body(request);
    const isAllowed =
      isDeviceLogin(clientid, username) && (await directory.authenticate(username, password)) !== null;
    return answer(reply, isAllowed, deny);
  });

  registerAtOnce(routes, brokerQuestions.topicUse, async ({ request, reply, read }) => {
    const { deny } = read.query(request);
    const asked = read.body(request);
    const { username, clientid, topic } = asked;
    const use = useOf(asked);
    const isAllowed = use !== null && isDeviceLogin(clientid, username) && mayUseTopic(username, topic, use);
    return answer(reply, isAllowed, deny);
  });
}

/** The secret as mosquitto-go-auth sends it when it is a part of the host name. */
function basicPassword({ headers }: FastifyRequest): string | undefined {
  const encoded = /^basic +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString();
  return text.slice(text.indexOf(':') + 1);
}

/** `null` for reading and writing at once, which no topic of a device allows. */
function useOf({ acc, action }: BrokerTopicUse): 'publish' | 'receive' | null {
  if ((acc === undefined) === (action === undefined)) {
    const details = [{ path: '/acc', message: 'send either acc or action' }];
    throw new Refusal('invalid_input', 'the use of a topic is not valid', details);
  }
  if (action !== undefined) return action === 'publish' ? 'publish' : 'receive';
  const number = Number(acc);
  if (number === 2) return 'publish';
  return number === 3 ? null : 'receive';
}

function answer(reply: FastifyReply, isAllowed: boolean, deny = '403'): BrokerAnswer {
  if (!isAllowed) reply.code(Number(deny));
  return {
    result: isAllowed ? 'allow' : 'deny',
    is_superuser: false,
    ok: isAllowed,
    error: isAllowed ? '' : 'not allowed',
  };
}

function fieldsOf(text: string): Record<string, string> {
  const entries = [...new URLSearchParams(text)];
  const fields = Object.fromEntries(entries);
  if (Object.keys(fields).length === entries.length) return fields;
  throw new Refusal('invalid_input', 'the form has a field twice');
}
