import { newId } from '@granary/app/ids';
import { type CheckedSecret, wrongSecret } from '@granary/app/session/checked-secret';
import type { PersonAtTerminal } from '@granary/app/terminals';
import { endpoints } from '@granary/contract/endpoints/endpoints';
import { Refusal } from '@granary/contract/errors';
import type { SessionRecord } from '@granary/contract/session';
import { TERMINAL_IDLE_MS } from '@granary/contract/terminals';
import { SECOND_MS, toIso } from '@granary/contract/time';
import { type PinTry, pinTry } from '@granary/core/guesses';
import type { StoredKey } from '@granary/core/keys';
import type { StoredSession } from '@granary/core/session';
import {
  mayAdminister,
  maySignInAt,
  personAtTerminal,
  TERMINAL_LINK_MS,
  terminalGrant,
  terminalRecord,
} from '@granary/core/terminals';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hashSecret, newSignInCode } from '../process/keys/secrets.ts';
import { credentialOf } from './access/credentials.ts';
import type { GivenSecrets, PasswordChecks } from './access/password-checks.ts';
import { actingAs, creating } from './audit/attempt.ts';
import type { Exchange } from './exchange.ts';
import { pageOf, readShownPage, success } from './protocol/answers.ts';
import { register, registerComparing } from './register.ts';
import { sharedRead } from './request-limit.ts';
import type { Parts } from './route-dependencies.ts';
import { callerRecord } from './session/session.ts';

/** Terminals and displays, for those who administer their facilities. */
export function terminalRoutes(routes: FastifyInstance, parts: Parts<'reads' | 'idempotency' | 'now'>): void {
  const { reads, idempotency, now } = parts;
  const declared = endpoints.terminals;
  register(routes, declared.list, async ({ request, read }) => {
    const page = pageOf(read.query(request));
    const terminalsAfter = (afterKeyId: string | null, limit: number) =>
      reads(request).terminals.list({ afterKeyId, limit });
    const isShown = (key: StoredKey): boolean => mayAdminister(request.caller, key);
    return await readShownPage(request, page, terminalsAfter, ({ keyId }) => keyId, isShown, terminalRecord);
  });

  register(routes, declared.enrol, async (exchange) => {
    const { request, read } = exchange;
    const { name, kind, facilities } = read.body(request);
    const createdAtMs = now();
    const keyId = newId('trm', createdAtMs);
    const code = newSignInCode();
    const expiresAtMs = createdAtMs + TERMINAL_LINK_MS;
    const terminal = { keyId, kind, name, grants: [terminalGrant(kind, facilities)], createdAtMs };
    const { result, secret } = await idempotency.onceWithSecret(creating(exchange, keyId), code, (slices) =>
      slices.terminals.enrol(terminal, { hash: hashSecret(code), keyId, createdAtMs, expiresAtMs }),
    );
    return success({ terminal: terminalRecord(result), code: secret, expires_at: toIso(expiresAtMs) });
  });

  register(routes, declared.end, async (exchange) => {
    const { request } = exchange;
    const { terminal_id: terminalId } = request.params;
    const { result } = await idempotency.once(exchange, (slices) => slices.terminals.end(terminalId, now()));
    return success(terminalRecord(result));
  });
}

/** The routes with which people sign in at a shared terminal, over its session. */
export function terminalSessionRoutes(
  routes: FastifyInstance,
  parts: Parts<'reads' | 'changes' | 'keyring' | 'now' | 'checks'>,
): void {
  const { changes, keyring, now } = parts;
  const declared = endpoints.terminals;
  const people = new TerminalPeople(parts);

  /** The session as it is now, which the next request finds, too. */
  async function current(request: FastifyRequest): Promise<SessionRecord> {
    const caller = await sharedRead(request, keyring.identify(credentialOf(request)));
    if (caller === null) throw new Refusal('unauthorized', 'this session has ended; sign in again');
    return callerRecord(caller);
  }

  register(routes, declared.people, async ({ request }) => success(await people.list(request)));

  registerComparing(routes, declared.signIn, async (exchange) => {
    const { request, read } = exchange;
    const { keyId, name, session } = terminalOf(request);
    const { person, terminal, checked } = await people.identify(read.body(request), keyId, exchange);
    const bySignedIn = actingAs(exchange, {
      ...personAtTerminal(terminal, person),
      session,
      terminal: { keyId, name },
    });
    const signedIn = { personId: person.keyId, untilMs: now() + TERMINAL_IDLE_MS };
    await changes(bySignedIn).terminals.setPerson(session.hash, signedIn, checked, now());
    return success(await current(request));
  });

  register(routes, declared.stay, async (exchange) => {
    const { request } = exchange;
    const { session } = terminalOf(request);
    const { kind, keyId: personId } = request.caller;
    if (kind === 'person') {
      await changes(exchange).terminals.stay(session.hash, { personId, untilMs: now() + TERMINAL_IDLE_MS });
    }
    return success(await current(request));
  });

  register(routes, declared.lock, async (exchange) => {
    const { request } = exchange;
    await changes(exchange).terminals.lock(terminalOf(request).session.hash);
    return success(await current(request));
  });
}

interface TerminalSession {
  readonly keyId: string;
  readonly name: string;
  readonly session: StoredSession;
}

function terminalOf({ caller: { terminal, session } }: FastifyRequest): TerminalSession {
  if (terminal !== null && session !== null) return { ...terminal, session };
  throw new Refusal('forbidden', 'this is for the browser of a shared terminal');
}

interface IdentifiedAtTerminal {
  readonly person: StoredKey;
  readonly terminal: StoredKey;
  readonly checked: CheckedSecret;
}

/** The people who may sign in at a terminal, and the checks of who they are. */
export class TerminalPeople {
  readonly #parts: Parts<'reads' | 'changes' | 'now'>;
  readonly #passwords: PasswordChecks;

  constructor(parts: Parts<'reads' | 'changes' | 'now' | 'checks'>) {
    this.#parts = parts;
    this.#passwords = parts.checks.passwords;
  }

  async list(request: FastifyRequest) {
    const terminalId = terminalOf(request).keyId;
    const { reads, now } = this.#parts;
    const terminal = await this.#terminal(request, terminalId);
    const all = await reads(request).terminals.people(terminalId);
    return all
      .filter(({ person }) => maySignInAt(terminal, person))
      .map(({ person: { name }, login, hasPin, tries }) => ({
        login,
        name,
        needs_password: !hasPin || pinTry(tries, now()) === 'password_required',
      }));
  }

  /** A person who does not operate in the facilities of the terminal is refused like a wrong PIN. */
  async identify(
    given: { readonly login: string; readonly pin: string } | GivenSecrets,
    terminalId: string,
    exchange: Exchange,
  ): Promise<IdentifiedAtTerminal> {
    const { reads, changes, now } = this.#parts;
    const { request } = exchange;
    const terminal = await this.#terminal(request, terminalId);
    const [found] = await reads(request).terminals.people(terminalId, given.login);
    if (found === undefined || !maySignInAt(terminal, found.person)) throw wrongSecret('pin');
    const { person } = found;
    const at = { personId: person.keyId, place: terminalId };
    const isWhole = !('pin' in given);
    const checked = isWhole
      ? await this.#checkPassword(given, exchange)
      : await this.#checkPin(given.pin, found, at, exchange);
    await changes(exchange).guesses.recognised(at, { isWhole, nowMs: now() });
    return { person, terminal, checked };
  }

  async #terminal(request: FastifyRequest, terminalId: string): Promise<StoredKey> {
    const terminal = await this.#parts.reads(request).terminals.find(terminalId);
    if (terminal !== undefined) return terminal;
    throw new Refusal('unauthorized', 'this terminal has ended');
  }

  async #checkPassword(given: GivenSecrets, exchange: Exchange): Promise<CheckedSecret> {
    const proven = await this.#passwords.prove(given, exchange);
    if (proven === null) throw wrongSecret('password');
    return proven.checked;
  }

  async #checkPin(
    pin: string,
    { hasPin, tries }: PersonAtTerminal,
    at: { readonly personId: string; readonly place: string },
    exchange: Exchange,
  ): Promise<CheckedSecret> {
    const { reads, changes, now } = this.#parts;
    const { request } = exchange;
    // The tries are checked before the PIN waits for its turn, so that many wrong ones at once cost little.
    refuseTry(hasPin ? pinTry(tries, now()) : 'password_required', exchange.reply);
    const stored = await reads(request).terminals.pinOf(at.personId);
    // The PIN is counted when it is its turn, because a PIN that comes too late is not checked.
    const isRight = await this.#passwords.matchesPin(pin, stored, request, async () =>
      refuseTry(await changes(exchange).guesses.takePin(at, now()), exchange.reply),
    );
    if (!isRight) {
      await this.#passwords.wrong({ ...at, kind: 'pin' }, exchange);
      throw wrongSecret('pin');
    }
    return { kind: 'pin', stored, factor: null };
  }
}

function refuseTry(tried: PinTry, reply: FastifyReply): void {
  if (tried === 'password_required') {
    throw new Refusal('password_required', 'the PIN does not count here; sign in with the password');
  }
  if (tried.waitMs === 0) return;
  reply.header('retry-after', Math.ceil(tried.waitMs / SECOND_MS));
  throw new Refusal('too_many_failed_logins', 'a wrong PIN was entered; wait before you try again');
}
