import type { PersonWithPassword } from '@granary/app/people/people';
import { type CheckedSecret, wrongCode, wrongSecret } from '@granary/app/session/checked-secret';
import { networkAt, type WrongSecret } from '@granary/app/session/wrong-secrets';
import { Refusal } from '@granary/contract/errors';
import { PASSWORD_CHARS_MIN } from '@granary/contract/people';
import { SECOND_MS } from '@granary/contract/time';
import { isValidAt } from '@granary/core/keys';
import { isEasyToGuess } from '@granary/core/passwords';
import type { StoredPerson, StoredSecondFactor, UsedFactor } from '@granary/core/people';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Passwords } from '../../process/keys/passwords.ts';
import { isGuessable, usedFactor } from '../../process/keys/second-factor.ts';
import type { Attempted, Exchange } from '../exchange.ts';
import type { ServerParts } from '../server-parts.ts';
import { callerNetwork, guessingNetwork, knownNetwork } from './caller-address.ts';
import { PasswordFailures, type PasswordFrom } from './password-failures.ts';

const WRONG = Symbol('wrong');

/** What a person gives to sign in: the password, and the code of the second factor where it is required. */
export interface GivenSecrets {
  readonly login: string;
  readonly password: string;
  readonly second_factor?: string | undefined;
}

/** The person whom a password has identified, with everything else that a sign-in asks for. */
interface Proven extends PersonWithPassword {
  readonly checked: CheckedSecret;
}

/** The person with a right password, and from where the password came. */
interface Identified {
  readonly found: PersonWithPassword;
  readonly from: PasswordFrom;
}

/** Checks passwords of people and codes of their second factors at every place where one is given, so that wrong ones are counted together. */
export class PasswordChecks {
  readonly #reads: ServerParts['reads'];
  readonly #now: () => number;
  readonly #passwords: Passwords;
  readonly #failures: PasswordFailures;
  readonly #canSendMail: boolean;
  readonly #changes: ServerParts['changes'];

  constructor({
    reads,
    changes,
    mailer,
    now,
    passwordCosts: costs,
  }: Pick<ServerParts, 'reads' | 'changes' | 'mailer' | 'now' | 'passwordCosts'>) {
    this.#passwords = new Passwords({ costs });
    this.#canSendMail = mailer !== null;
    this.#reads = reads;
    this.#changes = changes;
    this.#now = now;
    this.#failures = new PasswordFailures(now);
  }

  /** Returns `null` after the same time for an unknown name and for a wrong password. Only the check of a password waits after failures. */
  async identify(login: string, password: string, exchange: Exchange): Promise<PersonWithPassword | null> {
    const identified = await this.#look(login, password, exchange);
    if (identified === null) return null;
    this.#failures.right(identified.from);
    return identified.found;
  }

  /** A right password counts as a failure, too, until `right` or `forget` is called. */
  async #look(login: string, password: string, exchange: Exchange): Promise<Identified | null> {
    const { request, reply } = exchange;
    const address = callerNetwork(request.address);
    refuseEarly(this.#failures.refusedMs(login, address), reply);
    const home = knownNetwork(request.address);
    const elsewhere = guessingNetwork(request.address);
    // The statements are the same for a name that nobody has, so that they take the same time.
    const found = await this.#reads(request).people.findByLogin(login);
    const personId = found?.person.keyId ?? '';
    const stored = await this.#reads(request).guesses.passwordTries(
      { personId, place: home, networks: { home: address, elsewhere } },
      this.#now(),
    );
    const from = stored.isKnown
      ? { login, place: home, network: address, address }
      : { login, place: '', network: elsewhere, address };
    // The password is counted when it is its turn: of many that came at once, the first ones are known to be wrong by then.
    const begin = async () => refuseEarly(this.#failures.take(from, stored), reply);
    const turn = stored.isKnown
      ? { lane: 'home' as const, group: login }
      : { lane: 'elsewhere' as const, group: elsewhere };
    const isRight = await this.#passwords.matches(password, found?.password ?? null, {
      begin,
      turn,
      time: request.time,
    });
    if (found !== undefined && isRight && isValidAt(found.person, this.#now())) return { found, from };
    await this.wrong({ personId, kind: 'password', place: storedAt(from) }, exchange);
    return null;
  }

  /** Checks everything that a sign-in asks for; returns `null` like `identify`. Only a complete sign-in makes wrong passwords forgotten. */
  async prove(given: GivenSecrets, exchange: Exchange, refusalOfCode = wrongCode): Promise<Proven | null> {
    const identified = await this.#look(given.login, given.password, exchange);
    if (identified === null) return null;
    const { found, from } = identified;
    const { keyId: personId } = found.person;
    if (found.secondFactor !== null && given.second_factor === undefined) {
      this.#failures.right(from);
      throw new Refusal('second_factor_required', 'the code of your app is needed, too');
    }
    const factor =
      found.secondFactor === null
        ? null
        : await this.#usedFactor(personId, found.secondFactor, given.second_factor ?? '', exchange);
    if (factor === WRONG) {
      await this.wrong({ personId, kind: 'code', place: storedAt(from) }, exchange);
      throw refusalOfCode();
    }
    this.#failures.right(from);
    if (this.#failures.forget(from)) {
      await this.#changes(exchange).guesses.mistyped({ personId, place: storedAt(from) });
    }
    return { ...found, checked: { kind: 'password', stored: found.password, factor } };
  }

  /** Returns which part of the second factor the code uses up, or `WRONG`. */
  async #usedFactor(
    personId: string,
    stored: StoredSecondFactor,
    code: string,
    exchange: Exchange,
  ): Promise<UsedFactor | typeof WRONG> {
    const countedAt = isGuessable(code) ? await this.#takeCode(personId, exchange) : '';
    return usedFactor(code, stored, this.#now(), countedAt) ?? WRONG;
  }

  /** Counts a code before it is checked, and returns where it was counted. */
  async #takeCode(personId: string, { request, reply, attempt }: Exchange): Promise<string> {
    const place = knownNetwork(request.address);
    const taken = await this.#changes({ request, attempt }).guesses.takeCode(
      { personId, place },
      this.#now(),
    );
    if (taken.waitMs === 0) return taken.countedAt;
    reply.header('retry-after', Math.ceil(taken.waitMs / SECOND_MS));
    throw new Refusal(
      'too_many_failed_logins',
      'too many wrong codes; use a recovery code, or sign in from where you have signed in before',
    );
  }

  /** Checks the password alone, for a person who has signed in already. */
  async require(login: string, password: string, exchange: Exchange): Promise<PersonWithPassword> {
    const found = await this.identify(login, password, exchange);
    if (found === null) throw wrongSecret('password');
    return found;
  }

  /** Stores before the answer that a secret was wrong, so that the person is told of it; the secret itself is not stored. */
  async wrong(secret: WrongSecret, exchange: Attempted): Promise<void> {
    const told = { nowMs: this.#now(), canSendMail: this.#canSendMail };
    await this.#changes(exchange).guesses.wrong(secret, told);
  }

  hashPin(pin: string, { time }: FastifyRequest): Promise<string> {
    return this.#passwords.hash(pin, time);
  }

  /** `begin` is called when it is the turn of the PIN, and may refuse it. */
  matchesPin(
    pin: string,
    stored: string | null,
    { time }: FastifyRequest,
    begin: () => Promise<void>,
  ): Promise<boolean> {
    return this.#passwords.matchesPin(pin, stored, { begin, time });
  }

  /** The stored form of a password that the person has chosen. */
  async hashNew(
    password: string,
    person: Pick<StoredPerson, 'login' | 'name' | 'recoveryCodesLeft'>,
    { time }: FastifyRequest,
  ): Promise<string> {
    refuseShort(password, person.recoveryCodesLeft !== null);
    if (!isEasyToGuess(password, person)) return await this.#passwords.hash(password, time);
    throw new Refusal(
      'password_refused',
      'this password is easy to guess: it is made of a name, of well-known words, of rows of keys or of repetitions',
    );
  }
}

const storedAt = ({ place, network }: PasswordFrom): string => networkAt(place, network);

function refuseEarly(waitMs: number, reply: FastifyReply): void {
  if (waitMs === 0) return;
  reply.header('retry-after', Math.ceil(waitMs / SECOND_MS));
  throw new Refusal('too_many_failed_logins', 'too many wrong passwords; wait before you try again');
}

/** Refuses a password that is allowed only with a second factor; the contract cannot, because it does not know who has one. */
export function refuseShort(password: string, hasSecondFactor: boolean): void {
  if (hasSecondFactor || [...password].length >= PASSWORD_CHARS_MIN) return;
  throw new Refusal(
    'password_refused',
    `without a second factor a password has at least ${PASSWORD_CHARS_MIN} characters`,
  );
}
