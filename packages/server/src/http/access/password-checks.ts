import type { AppReads } from '@granary/app/app';
import type { PersonWithPassword } from '@granary/app/people/people';
import { type CheckedSecret, wrongSecret } from '@granary/app/session/checked-secret';
import { Refusal } from '@granary/contract/errors';
import { PASSWORD_CHARS_MIN } from '@granary/contract/people';
import { SECOND_MS } from '@granary/contract/time';
import { isValidAt } from '@granary/core/keys';
import { isEasyToGuess } from '@granary/core/passwords';
import type { StoredPerson, UsedFactor } from '@granary/core/people';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Passwords } from '../../process/keys/passwords.ts';
import { usedFactor } from '../../process/keys/second-factor.ts';
import { callerNetwork } from './caller-address.ts';
import { PasswordFailures } from './password-failures.ts';

export const WRONG_CODE = 'the code is not right, or was used before';

/** Passwords of people, wherever one is given: wrong ones are counted together. */
export class PasswordChecks {
  readonly #people: Pick<AppReads['people'], 'findByLogin'>;
  readonly #now: () => number;
  readonly #passwords = new Passwords();
  readonly #failures: PasswordFailures;

  constructor(people: Pick<AppReads['people'], 'findByLogin'>, now: () => number) {
    this.#people = people;
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

  /** What of the second factor the sign-in uses up; `undefined` for a person without one. */
  secondFactor(
    { person: { login }, secondFactor }: PersonWithPassword,
    code: string | undefined,
    request: FastifyRequest,
  ): UsedFactor | undefined {
    if (secondFactor === null) return undefined;
    if (code === undefined)
      throw new Refusal('second_factor_required', 'the code of your app is needed, too');
    const used = usedFactor(code, secondFactor, this.#now());
    if (used !== null) return used;
    this.#failures.failed(login, callerNetwork(request.address));
    throw new Refusal('unauthorized', WRONG_CODE);
  }

  /** Of all that was asked for: a right password alone does not make wrong codes forgotten. */
  succeeded({ login }: Pick<StoredPerson, 'login'>, request: FastifyRequest): void {
    this.#failures.succeeded(login, callerNetwork(request.address));
  }

  /** For people who are known to be there: whoever confirms, or signs in at a terminal. */
  async require(
    login: string,
    password: string,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<{ readonly person: StoredPerson; readonly checked: CheckedSecret }> {
    const found = await this.identify(login, password, request, reply);
    if (found === null) throw wrongSecret('password');
    this.succeeded(found.person, request);
    return { person: found.person, checked: { kind: 'password', stored: found.password } };
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
