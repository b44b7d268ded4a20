import type { AppReads } from '@granary/app/app';
import type { PersonWithPassword } from '@granary/app/people/people';
import { type CheckedSecret, wrongCode, wrongSecret } from '@granary/app/session/checked-secret';
import { Refusal } from '@granary/contract/errors';
import { PASSWORD_CHARS_MIN } from '@granary/contract/people';
import { SECOND_MS } from '@granary/contract/time';
import { isValidAt } from '@granary/core/keys';
import { isEasyToGuess } from '@granary/core/passwords';
import type { StoredPerson, StoredSecondFactor, UsedFactor } from '@granary/core/people';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Passwords } from '../../process/keys/passwords.ts';
import { isGuessable, usedFactor } from '../../process/keys/second-factor.ts';
import type { RouteDependencies } from '../route-dependencies.ts';
import { callerNetwork, knownNetwork } from './caller-address.ts';
import { PasswordFailures } from './password-failures.ts';

const WRONG = Symbol('wrong');

/** A person who gives the password, with the code of the second factor where that is asked for. */
export interface GivenSecrets {
  readonly login: string;
  readonly password: string;
  readonly second_factor?: string | undefined;
}

/** Whom a password has identified, with everything else that a sign-in asks for. */
interface Proven extends PersonWithPassword {
  readonly checked: CheckedSecret;
}

/** Passwords of people and codes of their second factors, wherever one is given: wrong ones are counted together. */
export class PasswordChecks {
  readonly #people: Pick<AppReads['people'], 'findByLogin'>;
  readonly #now: () => number;
  readonly #passwords = new Passwords();
  readonly #failures: PasswordFailures;

  readonly #changes: RouteDependencies['changes'];

  constructor({ app, changes, now }: Pick<RouteDependencies, 'app' | 'changes' | 'now'>) {
    this.#people = app.people;
    this.#changes = changes;
    this.#now = now;
    this.#failures = new PasswordFailures(now);
  }

  /** `null` after the same time for an unknown name and a wrong password. Nothing but this waits for failures. */
  async identify(
    login: string,
    password: string,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<PersonWithPassword | null> {
    const address = callerNetwork(request.address);
    const refuseEarly = (): void => {
      const waitMs = this.#failures.waitMs(login, address);
      if (waitMs === 0) return;
      reply.header('retry-after', Math.ceil(waitMs / SECOND_MS));
      throw new Refusal('too_many_failed_logins', 'too many wrong passwords; wait before you try again');
    };
    refuseEarly();
    const found = await this.#people.findByLogin(login);
    // Asked again when it is its turn: of many that came at once, the first ones have been wrong meanwhile.
    const isRight = await this.#passwords.matches(password, found?.password ?? null, async () =>
      refuseEarly(),
    );
    if (found === undefined || !isRight || !isValidAt(found.person, this.#now())) {
      this.#failures.failed(login, address);
      return null;
    }
    return found;
  }

  /** Everything that a sign-in asks for; `null` like `identify`. Only this makes wrong passwords forgotten. */
  async prove(
    given: GivenSecrets,
    request: FastifyRequest,
    reply: FastifyReply,
    refusalOfCode = wrongCode,
  ): Promise<Proven | null> {
    const found = await this.identify(given.login, given.password, request, reply);
    if (found === null) return null;
    const factor =
      found.secondFactor === null
        ? null
        : await this.#usedFactor(found.person.keyId, found.secondFactor, given.second_factor, request, reply);
    const address = callerNetwork(request.address);
    if (factor === WRONG) {
      this.#failures.failed(given.login, address);
      throw refusalOfCode();
    }
    this.#failures.succeeded(given.login, address);
    return { ...found, checked: { kind: 'password', stored: found.password, factor } };
  }

  /** What of the second factor is used up by the code. */
  async #usedFactor(
    personId: string,
    stored: StoredSecondFactor,
    code: string | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<UsedFactor | typeof WRONG> {
    if (code === undefined)
      throw new Refusal('second_factor_required', 'the code of your app is needed, too');
    const countedAt = isGuessable(code) ? await this.#takeCode(personId, request, reply) : '';
    return usedFactor(code, stored, this.#now(), countedAt) ?? WRONG;
  }

  /** Returns where the code was counted. */
  async #takeCode(personId: string, request: FastifyRequest, reply: FastifyReply): Promise<string> {
    const place = knownNetwork(request.address);
    const taken = await this.#changes(request).guesses.takeCode({ personId, place }, this.#now());
    if (taken.waitMs === 0) return taken.countedAt;
    reply.header('retry-after', Math.ceil(taken.waitMs / SECOND_MS));
    throw new Refusal(
      'too_many_failed_logins',
      'too many wrong codes; use a recovery code, or sign in from where you have signed in before',
    );
  }

  /** For a person who has signed in already: the password alone. */
  async require(
    login: string,
    password: string,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<PersonWithPassword> {
    const found = await this.identify(login, password, request, reply);
    if (found === null) throw wrongSecret('password');
    return found;
  }

  hashPin(pin: string): Promise<string> {
    return this.#passwords.hash(pin);
  }

  /** `begin` is called when it is its turn, and may refuse. */
  matchesPin(pin: string, stored: string | null, begin: () => Promise<void>): Promise<boolean> {
    return this.#passwords.matchesPin(pin, stored, begin);
  }

  /** The stored form of a password that the person has chosen. */
  async hashNew(
    password: string,
    person: Pick<StoredPerson, 'login' | 'name' | 'recoveryCodesLeft'>,
  ): Promise<string> {
    refuseShort(password, person.recoveryCodesLeft !== null);
    if (!isEasyToGuess(password, person)) return await this.#passwords.hash(password);
    throw new Refusal(
      'password_refused',
      'this password is easy to guess: it is made of a name, of well-known words, of rows of keys or of repetitions',
    );
  }
}

/** The contract lets the shorter ones of people with a second factor pass. */
export function refuseShort(password: string, hasSecondFactor: boolean): void {
  if (hasSecondFactor || [...password].length >= PASSWORD_CHARS_MIN) return;
  throw new Refusal(
    'password_refused',
    `without a second factor a password has at least ${PASSWORD_CHARS_MIN} characters`,
  );
}
