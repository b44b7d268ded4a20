import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { Refusal } from '@granary/contract/errors';

/** The least that OWASP asks of argon2id, because a small site has little memory. */
const MEMORY_KIB = 19_456;
const PASSES = 2;
const LANES = 1;
const TAG_BYTES = 32;
const NONCE_BYTES = 16;
/** They run in the threads that also read files and resolve names; and a processor stays free for stops. */
const PARALLEL_MAX = availableParallelism() > 2 ? 2 : 1;
/** Of each kind. */
const WAITING_MAX = 200;
const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/;
/** Compared with where there is no person, so that this takes as long. */
const OF_NOBODY = `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$${'A'.repeat(22)}$${'A'.repeat(43)}`;

interface Costs {
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
}

type Kind = 'password' | 'pin';

/** Hashes one or two passwords at a time; the others wait. Those of both kinds take turns: guessed PINs do not keep people out. */
export class Passwords {
  readonly #parallelMax: number;
  readonly #waiting: Readonly<Record<Kind, (() => void)[]>> = { password: [], pin: [] };
  #running = 0;
  #last: Kind = 'pin';

  constructor(parallelMax = PARALLEL_MAX) {
    this.#parallelMax = parallelMax;
  }

  /** In PHC form. */
  async hash(password: string): Promise<string> {
    const nonce = randomBytes(NONCE_BYTES);
    const tag = await this.#derive('password', password, nonce, {
      memory: MEMORY_KIB,
      passes: PASSES,
      parallelism: LANES,
    });
    return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$${base64(nonce)}$${base64(tag)}`;
  }

  /** Takes the same time where nothing is stored. `begin` is called when it is its turn, and may refuse. */
  async matches(password: string, stored: string | null, begin?: () => void): Promise<boolean> {
    return await this.#compare('password', password, stored, begin);
  }

  async matchesPin(pin: string, stored: string | null): Promise<boolean> {
    return await this.#compare('pin', pin, stored);
  }

  async #compare(kind: Kind, password: string, stored: string | null, begin?: () => void): Promise<boolean> {
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

  async #derive(
    kind: Kind,
    password: string,
    nonce: Buffer,
    costs: Costs,
    begin?: () => void,
  ): Promise<Buffer> {
    const waiting = this.#waiting[kind];
    if (waiting.length >= WAITING_MAX) {
      throw new Refusal('rate_limited', 'too many people sign in at this moment; try again');
    }
    if (this.#running >= this.#parallelMax) await new Promise<void>((resolve) => waiting.push(resolve));
    else this.#running++;
    try {
      begin?.();
      // The same letters can be written with different characters.
      const message = password.normalize('NFC');
      return await new Promise((resolve, reject) =>
        argon2('argon2id', { message, nonce, tagLength: TAG_BYTES, ...costs }, (error, tag) =>
          error === null ? resolve(tag) : reject(error),
        ),
      );
    } finally {
      const next = this.#next();
      if (next === undefined) this.#running--;
      else next();
    }
  }

  #next(): (() => void) | undefined {
    const { password, pin } = this.#waiting;
    this.#last = pin.length === 0 || (this.#last === 'pin' && password.length > 0) ? 'password' : 'pin';
    return this.#waiting[this.#last].shift();
  }
}

const base64 = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '');
