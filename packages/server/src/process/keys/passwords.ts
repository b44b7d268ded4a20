import { randomBytes, timingSafeEqual } from 'node:crypto';
import { requestLeftMs } from '@granary/common/request-time';
import { LATE, within } from '@granary/common/within';
import { Refusal } from '@granary/contract/errors';
import { SECOND_MS } from '@granary/contract/time';
import { Argon2 } from './argon2.ts';

/** The least that OWASP asks of argon2id, because a small site has little memory. */
const MEMORY_KIB = 19_456;
const PASSES = 2;
const LANES = 1;
const TAG_BYTES = 32;
const NONCE_BYTES = 16;
/** Of each kind. */
const WAITING_MAX = 200;
/** Of the time of a request: for computing and for what is stored afterwards, on a busy machine. */
const NEEDED_MS = SECOND_MS;
const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/;
/** Compared with where there is no person, so that this takes as long. */
const OF_NOBODY = `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$${'A'.repeat(22)}$${'A'.repeat(43)}`;

interface Costs {
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
}

type Kind = 'password' | 'pin';

/** Called when it is the turn of a password; what it throws refuses the password before anything is computed. */
type Begin = () => Promise<void>;
const AT_ONCE: Begin = async () => undefined;

/** Computes one password at a time; the others wait. Those of both kinds take turns: guessed PINs do not keep people out. */
export class Passwords {
  readonly #argon2 = new Argon2();
  readonly #waiting: Readonly<Record<Kind, (() => void)[]>> = { password: [], pin: [] };
  #isRunning = false;
  #last: Kind = 'pin';

  /** In PHC form. */
  async hash(password: string): Promise<string> {
    const nonce = randomBytes(NONCE_BYTES);
    const costs = { memory: MEMORY_KIB, passes: PASSES, parallelism: LANES };
    const tag = await this.#derive('password', password, nonce, costs, AT_ONCE);
    return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$${base64(nonce)}$${base64(tag)}`;
  }

  /** Takes the same time where nothing is stored. */
  async matches(password: string, stored: string | null, begin: Begin = AT_ONCE): Promise<boolean> {
    return await this.#compare('password', password, stored, begin);
  }

  async matchesPin(pin: string, stored: string | null, begin: Begin = AT_ONCE): Promise<boolean> {
    return await this.#compare('pin', pin, stored, begin);
  }

  async #compare(kind: Kind, password: string, stored: string | null, begin: Begin): Promise<boolean> {
    const [, memory, passes, parallelism, nonce = '', tag = ''] = PHC.exec(stored ?? OF_NOBODY) ?? [];
    const wanted = Buffer.from(tag, 'base64');
    const costs = {
      memory: Number(memory),
      passes: Number(passes),
      parallelism: Number(parallelism),
    };
    const given = await this.#derive(kind, password, Buffer.from(nonce, 'base64'), costs, begin);
    return given.length === wanted.length && timingSafeEqual(given, wanted) && stored !== null;
  }

  async #derive(kind: Kind, password: string, nonce: Buffer, costs: Costs, begin: Begin): Promise<Buffer> {
    await this.#turn(kind);
    try {
      await begin();
      // The same letters can be written with different characters.
      const message = password.normalize('NFC');
      return await this.#argon2.derive({ message, nonce, tagLength: TAG_BYTES, ...costs });
    } finally {
      const next = this.#next();
      if (next === undefined) this.#isRunning = false;
      else next();
    }
  }

  /** Refuses what would be answered too late: computing it would only make the next ones late, too. */
  async #turn(kind: Kind): Promise<void> {
    const waiting = this.#waiting[kind];
    const patienceMs = requestLeftMs() - NEEDED_MS;
    if (waiting.length >= WAITING_MAX || patienceMs <= 0) throw tooMany();
    if (this.#isRunning) {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push(resolve);
      const place = (await within(patienceMs, promise)) === LATE ? waiting.indexOf(resolve) : -1;
      if (place !== -1) {
        waiting.splice(place, 1);
        throw tooMany();
      }
    }
    this.#isRunning = true;
  }

  #next(): (() => void) | undefined {
    const { password, pin } = this.#waiting;
    this.#last = pin.length === 0 || (this.#last === 'pin' && password.length > 0) ? 'password' : 'pin';
    return this.#waiting[this.#last].shift();
  }
}

const tooMany = (): Refusal =>
  new Refusal('rate_limited', 'too many people sign in at this moment; try again');

const base64 = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '');
