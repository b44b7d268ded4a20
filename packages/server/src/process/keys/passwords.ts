import { randomBytes, timingSafeEqual } from 'node:crypto';
import { leftMsOf, type RequestTime } from '@granary/common/request-time';
import { LATE, within } from '@granary/common/within';
import { Refusal } from '@granary/contract/errors';
import { SECOND_MS } from '@granary/contract/time';
import { Argon2 } from './argon2.ts';
import { PasswordTurns, type Turn } from './password-turns.ts';

export interface PasswordCosts {
  readonly memory: number;
  readonly passes: number;
}

/** Only the minimum that OWASP recommends for argon2id, because a small site has little memory. */
const COSTS: PasswordCosts = { memory: 19_456, passes: 2 };
const LANES = 1;
const TAG_BYTES = 32;
const NONCE_BYTES = 16;
/** The limit of each lane. */
const WAITING_MAX = 200;
/** The part of the time of a request that is needed for computing and for storing the result, on a busy machine. */
const NEEDED_MS = SECOND_MS;
const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/;

interface Costs extends PasswordCosts {
  readonly parallelism: number;
}

interface Options {
  readonly costs?: PasswordCosts | undefined;
  readonly argon2?: Pick<Argon2, 'derive'>;
}

/** Called when it is the turn of a password; what it throws refuses the password before anything is computed. */
type Begin = () => Promise<void>;
const AT_ONCE: Begin = async () => undefined;
const PIN_TURN: Turn = { lane: 'pin', group: '' };
/** The turn of new passwords and PINs, which come only from people who have shown who they are. */
const NEW_TURN: Turn = { lane: 'home', group: '' };
const ANY_TURN: Turn = { lane: 'elsewhere', group: '' };

/** How a password or PIN is compared. */
interface Comparison {
  readonly begin?: Begin;
  readonly turn?: Turn;
  /** The time of the request that waits for the result; `null` without a limit. */
  readonly time: RequestTime | null;
}

/** Computes one password at a time. The others wait in lanes that take turns, so guessed PINs and passwords do not keep people out. */
export class Passwords {
  readonly #argon2: Pick<Argon2, 'derive'>;
  readonly #costs: Costs;
  /** A password is compared with this value where there is no person, so that the comparison takes as long. */
  readonly #ofNobody: string;
  readonly #turns = new PasswordTurns(WAITING_MAX);
  #isRunning = false;

  constructor({ costs = COSTS, argon2 = new Argon2() }: Options = {}) {
    this.#argon2 = argon2;
    this.#costs = { ...costs, parallelism: LANES };
    this.#ofNobody = phcOf(this.#costs, 'A'.repeat(22), 'A'.repeat(43));
  }

  /** The stored form of a password or PIN, in PHC form. */
  async hash(password: string, time: RequestTime | null): Promise<string> {
    const nonce = randomBytes(NONCE_BYTES);
    const tag = await this.#derive({ turn: NEW_TURN, time }, password, nonce, this.#costs);
    return phcOf(this.#costs, base64(nonce), base64(tag));
  }

  /** The comparison takes the same time when nothing is stored. */
  async matches(password: string, stored: string | null, comparison: Comparison): Promise<boolean> {
    return await this.#compare(comparison, password, stored);
  }

  async matchesPin(pin: string, stored: string | null, comparison: Comparison): Promise<boolean> {
    return await this.#compare({ ...comparison, turn: PIN_TURN }, pin, stored);
  }

  async #compare(comparison: Comparison, password: string, stored: string | null): Promise<boolean> {
    const [, memory, passes, parallelism, nonce = '', tag = ''] = PHC.exec(stored ?? this.#ofNobody) ?? [];
    const wanted = Buffer.from(tag, 'base64');
    const costs = {
      memory: Number(memory),
      passes: Number(passes),
      parallelism: Number(parallelism),
    };
    const given = await this.#derive(comparison, password, Buffer.from(nonce, 'base64'), costs);
    return given.length === wanted.length && timingSafeEqual(given, wanted) && stored !== null;
  }

  async #derive(comparison: Comparison, password: string, nonce: Buffer, costs: Costs): Promise<Buffer> {
    const begin: Begin = comparison.begin ?? AT_ONCE;
    await this.#wait(comparison.turn ?? ANY_TURN, comparison.time);
    try {
      await begin();
      // The same letters can be written with different characters.
      const message = password.normalize('NFC');
      return await this.#argon2.derive({ message, nonce, tagLength: TAG_BYTES, ...costs });
    } finally {
      const next = this.#turns.next();
      if (next === undefined) this.#isRunning = false;
      else next.begin();
    }
  }

  /** Refuses a check that would be answered too late: computing it would only make the next ones late, too. */
  async #wait(turn: Turn, time: RequestTime | null): Promise<void> {
    const patienceMs = leftMsOf(time) - NEEDED_MS;
    if (patienceMs <= 0) throw tooMany();
    if (!this.#isRunning) {
      this.#isRunning = true;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const place = this.#turns.add(turn, { begin: resolve, refuse: () => reject(tooMany()) });
    if (place === undefined) throw tooMany();
    if ((await within(patienceMs, promise)) !== LATE) return;
    if (place.leave()) throw tooMany();
    // The check has begun, or was refused, at this moment.
    await promise;
  }
}

const tooMany = (): Refusal =>
  new Refusal('rate_limited', 'too many people sign in at this moment; try again');

const phcOf = ({ memory, passes, parallelism }: Costs, nonce: string, tag: string): string =>
  `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${nonce}$${tag}`;

const base64 = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '');
