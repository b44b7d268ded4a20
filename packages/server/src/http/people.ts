import { newId } from '@granary/app/ids';
import type { NewCode } from '@granary/app/session/session-rows';
import { within } from '@granary/common/within';
import { endpoints } from '@granary/contract/endpoints/endpoints';
import type { Invitation } from '@granary/contract/people';
import { SECOND_MS, toIso } from '@granary/contract/time';
import { grantsOf, INVITE_MS, mayManage, personRecord, type StoredPerson } from '@granary/core/people';
import type { FastifyInstance } from 'fastify';
import { readersOf } from '../background/notifications/worker.ts';
import { hashSecret, newInviteCode } from '../process/keys/secrets.ts';
import { creating } from './audit/attempt.ts';
import { pageOf, readShownPage, success } from './protocol/answers.ts';
import { register } from './register.ts';
import type { Parts } from './route-dependencies.ts';

/** How long an answer waits for the mail server; the link is in the answer, too. */
const MAIL_ANSWER_MS = 3 * SECOND_MS;

export function peopleRoutes(
  routes: FastifyInstance,
  parts: Parts<'settings' | 'reads' | 'changes' | 'idempotency' | 'mailer' | 'logger' | 'now'>,
): void {
  const { reads, changes, idempotency, now } = parts;
  const mailInvitation = mailerOf(parts);
  const declared = endpoints.people;

  register(routes, declared.list, async ({ request, read }) => {
    const { caller } = request;
    const page = pageOf(read.query(request));
    const peopleAfter = (afterKeyId: string | null, limit: number) =>
      reads(request).people.list({ afterKeyId, limit });
    const isShown = ({ grants }: StoredPerson): boolean => mayManage(caller, grants);
    return await readShownPage(request, page, peopleAfter, ({ keyId }) => keyId, isShown, personRecord);
  });

  register(routes, declared.invite, async (exchange) => {
    const { request, read } = exchange;
    const { login, name, email = null, grants: wanted } = read.body(request);
    const grants = grantsOf(wanted);
    const createdAtMs = now();
    const keyId = newId('per', createdAtMs);
    const { code, stored } = draftInvite(keyId, createdAtMs);
    const { result, secret, replayed } = await idempotency.onceWithSecret(
      creating(exchange, keyId),
      code,
      (slices) => slices.people.invite({ keyId, login, name, email, grants, createdAtMs }, stored),
    );
    const mailed = !replayed && (await mailInvitation(result, secret, stored));
    return success(invitation(result, secret, stored, mailed));
  });

  register(routes, declared.change, async (exchange) => {
    const { request, read } = exchange;
    const { person_id: keyId } = request.params;
    const { grants: wanted, ...patch } = read.body(request);
    const grants = wanted && grantsOf(wanted);
    const change = { ...patch, ...(grants === undefined ? {} : { grants }) };
    return success(personRecord(await changes(exchange).people.change(keyId, change)));
  });

  register(routes, declared.renew, async (exchange) => {
    const { request } = exchange;
    const { person_id: keyId } = request.params;
    const { code, stored } = draftInvite(keyId, now());
    const { result, secret, replayed } = await idempotency.onceWithSecret(exchange, code, (slices) =>
      slices.people.renew(keyId, stored),
    );
    const mailed = !replayed && (await mailInvitation(result, secret, stored));
    return success(invitation(result, secret, stored, mailed));
  });

  register(routes, declared.disable, async (exchange) => {
    const { request } = exchange;
    const { person_id: keyId } = request.params;
    const { result } = await idempotency.once(exchange, (slices) => slices.people.disable(keyId, now()));
    return success(personRecord(result));
  });

  register(routes, declared.unlink, async (exchange) => {
    const { request } = exchange;
    const { person_id: keyId } = request.params;
    const { result } = await idempotency.once(exchange, (slices) => slices.people.unlink(keyId));
    return success(personRecord(result));
  });
}

function draftInvite(keyId: string, createdAtMs: number): { code: string; stored: NewCode } {
  const code = newInviteCode();
  return {
    code,
    stored: { hash: hashSecret(code), keyId, createdAtMs, expiresAtMs: createdAtMs + INVITE_MS },
  };
}

const invitation = (
  person: StoredPerson,
  code: string,
  { expiresAtMs }: NewCode,
  mailed: boolean,
): Invitation => ({ person: personRecord(person), code, expires_at: toIso(expiresAtMs), mailed });

type MailInvitation = (person: StoredPerson, code: string, stored: NewCode) => Promise<boolean>;

/**
 * Sends the link at once and does not store it, because only the hash of a code is stored. Resolves with whether the mail
 * server has accepted the message.
 */
function mailerOf({ mailer, settings, logger }: Parts<'settings' | 'mailer' | 'logger'>): MailInvitation {
  const { consoleUrl } = readersOf(settings);
  return async ({ keyId, name, login, email }, code, { createdAtMs, expiresAtMs }) => {
    if (mailer === null || consoleUrl === null || email === null) return false;
    const text = [
      `${name},`,
      `this link lets you in to Granary once, until ${toIso(expiresAtMs)}:`,
      `${consoleUrl}/#invite=${code}`,
      `You choose a password there. Your name for signing in is ${login}.`,
    ].join('\n\n');
    const messageId = `${keyId}.${createdAtMs}`;
    const mail = { messageId, to: email, subject: 'Your link to Granary', text, atMs: createdAtMs };
    const sending = mailer.send(mail).then(
      () => true,
      (error: unknown) => {
        logger.warn({ error: String(error), person_id: keyId }, 'an invitation could not be mailed');
        return false;
      },
    );
    return (await within(MAIL_ANSWER_MS, sending)) === true;
  };
}
