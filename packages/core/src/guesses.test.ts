import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '@granary/contract/time';
import fc from 'fast-check';
import {
  CODES_WRONG_MAX,
  type CodeTries,
  codeTry,
  isToldByMail,
  type NetworkTries,
  noPasswordTries,
  PASSWORD_ROOM_MS,
  PASSWORDS_WRONG_MAX,
  type PasswordTries,
  type PlaceTries,
  passwordTry,
  pinTry,
  restoredPlace,
  withoutLastPassword,
} from './guesses.ts';

const HERE = { count: 0, lastAtMs: 0, elsewhere: 0, isKnown: false, ofDay: null };

test('wrong PINs wait twice as long each time, and after five only the password counts', () => {
  const waits = [0, 1, 2, 3, 4].map((count) => pinTry({ ...HERE, count, lastAtMs: 1_000_000 }, 1_000_000));
  assert.deepEqual(
    waits,
    [0, 1_000, 2_000, 4_000, 8_000].map((waitMs) => ({ waitMs })),
  );
  assert.deepEqual(pinTry({ ...HERE, count: 4, lastAtMs: 0 }, 8_000), { waitMs: 0 });
  assert.deepEqual(
    pinTry({ ...HERE, count: 4, lastAtMs: 9_000_000 }, 0),
    { waitMs: 8_000 },
    'a clock that was set back',
  );
  assert.equal(pinTry({ ...HERE, count: 5, lastAtMs: 0 }, 9_000_000), 'password_required');
});

test('twenty wrong PINs at terminals that are not known count at each of these, and at no known one', () => {
  assert.deepEqual(pinTry({ ...HERE, elsewhere: 19 }, 0), { waitMs: 0 });
  assert.equal(pinTry({ ...HERE, elsewhere: 20 }, 0), 'password_required');
  assert.deepEqual(pinTry({ ...HERE, elsewhere: 20, isKnown: true }, 0), { waitMs: 0 });
  assert.equal(pinTry({ ...HERE, elsewhere: 0, count: 5, isKnown: true }, 0), 'password_required');
});

test('ten wrong PINs in a day count at their terminal, also where right ones come between', () => {
  const ofDay = { count: 10, sinceMs: 5 * DAY_MS };
  assert.equal(pinTry({ ...HERE, ofDay, isKnown: true }, 5 * DAY_MS + SECOND_MS), 'password_required');
  assert.deepEqual(pinTry({ ...HERE, ofDay, isKnown: true }, 6 * DAY_MS), { waitMs: 0 });
});

test('at most twenty codes of a day are looked at, whenever they come, also when the clock is set back', () => {
  const steps = fc.array(fc.integer({ min: -5 * MINUTE_MS, max: 4 * 60 * MINUTE_MS }), { maxLength: 400 });
  fc.assert(
    fc.property(steps, (passed) => {
      let nowMs = 100 * DAY_MS;
      let tries: CodeTries | undefined;
      const lookedAtMs: number[] = [];
      for (const ms of passed) {
        nowMs += ms;
        const result = codeTry(tries, nowMs);
        tries = result.tries;
        assert.ok(result.waitMs >= 0 && result.waitMs <= DAY_MS);
        if (result.waitMs === 0) lookedAtMs.push(nowMs);
      }
      // A span shorter than a day touches at most two days.
      for (const fromMs of lookedAtMs) {
        const near = lookedAtMs.filter((ms) => Math.abs(ms - fromMs) < DAY_MS / 2);
        assert.ok(near.length <= 2 * CODES_WRONG_MAX);
      }
    }),
  );
});

test('a code that waits is told until when', () => {
  const full = { count: CODES_WRONG_MAX, sinceMs: 5 * DAY_MS };
  assert.equal(codeTry(full, 5 * DAY_MS + SECOND_MS).waitMs, DAY_MS - SECOND_MS);
  assert.equal(codeTry(full, 6 * DAY_MS).waitMs, 0);
});

/** The state of one guessed name, as the service counts it: networks, places, and the stored tries. */
class Guessed {
  nowMs = 1_000 * DAY_MS;
  readonly lookedAtMs: { place: string; atMs: number }[] = [];
  #networks = new Map<string, NetworkTries>();
  #places = new Map<string, PlaceTries>();
  /** The tries that a restart leaves, by place. */
  readonly #stored: Record<string, Map<string, NetworkTries>> = { '': new Map(), home: new Map() };

  before(place: string, network: string): PasswordTries {
    const none = noPasswordTries(this.nowMs);
    return {
      network: this.#networks.get(network) ?? this.#stored[place]?.get(network) ?? none.network,
      place: this.#places.get(place) ?? restoredPlace([...(this.#stored[place]?.values() ?? [])], this.nowMs),
    };
  }

  guess(place: string, network: string): number {
    const { waitMs, tries } = passwordTry(this.before(place, network), this.nowMs);
    if (waitMs > 0) return waitMs;
    this.#networks.set(network, tries.network);
    this.#places.set(place, tries.place);
    this.#stored[place]?.set(network, tries.network);
    this.lookedAtMs.push({ place, atMs: this.nowMs });
    return 0;
  }

  /**
   * Enters the right password and returns the wait. Without a wait the person is let in, and the wrong tries of the network
   * are forgotten.
   */
  enter(place: string, network: string): number {
    const { waitMs, tries } = passwordTry(this.before(place, network), this.nowMs);
    if (waitMs > 0) return waitMs;
    this.#places.set(place, withoutLastPassword(tries).place);
    this.#networks.delete(network);
    this.#stored[place]?.delete(network);
    return 0;
  }

  restart(): void {
    this.#networks = new Map();
    this.#places = new Map();
  }
}

const [LOOKED_AT_ONCE] = PASSWORDS_WRONG_MAX.byFailures;
const LOOKED_IN_A_DAY = LOOKED_AT_ONCE + DAY_MS / PASSWORD_ROOM_MS;

const ACTION = fc.record({
  passedMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 5 * MINUTE_MS })),
  what: fc.constantFrom('burst', 'burst', 'same', 'restart', 'enter', 'colleague'),
  network: fc.nat(400),
});

test('of wrong passwords from any networks no more than promised are looked at, and at home the right one always', () => {
  fc.assert(
    fc.property(fc.array(ACTION, { minLength: 50, maxLength: 300 }), (actions) => {
      const ada = new Guessed();
      for (const { passedMs, what, network } of actions) {
        ada.nowMs += passedMs;
        if (what === 'restart') ada.restart();
        if (what === 'burst') for (let n = 0; n < 60; n++) ada.guess('', `${network + n}`);
        if (what === 'same') for (let n = 0; n < 30; n++) ada.guess('', `${network}`);
        if (what === 'colleague') for (let n = 0; n < 30; n++) ada.guess('home', `desk ${network % 30}`);
        if (what === 'enter') assert.equal(ada.enter('home', 'own desk'), 0, 'at home');
      }
      for (const place of ['', 'home']) {
        const times = ada.lookedAtMs.filter((one) => one.place === place).map(({ atMs }) => atMs);
        for (const fromMs of times) {
          const inDay = times.filter((atMs) => atMs >= fromMs && atMs < fromMs + DAY_MS).length;
          assert.ok(inDay <= LOOKED_IN_A_DAY);
          const inMinute = times.filter((atMs) => atMs >= fromMs && atMs < fromMs + MINUTE_MS).length;
          assert.ok(inMinute <= LOOKED_AT_ONCE + MINUTE_MS / PASSWORD_ROOM_MS, `${inMinute} in a minute`);
        }
      }
    }),
    { numRuns: 25 },
  );
});

test('whoever sends as many as they can for two days gets what was promised, and no more', () => {
  for (const networks of [1, 5, 40, 1_000]) {
    const ada = new Guessed();
    const beganAtMs = ada.nowMs;
    let next = 0;
    for (; ada.nowMs < beganAtMs + 2 * DAY_MS; ada.nowMs += 5 * SECOND_MS) {
      for (let n = 0; n < Math.min(networks, 50); n++) ada.guess('', `${next++ % networks}`);
    }
    const secondDay = ada.lookedAtMs.filter(({ atMs }) => atMs >= beganAtMs + DAY_MS).length;
    assert.ok(secondDay <= Math.min(networks * 1_450, LOOKED_IN_A_DAY), `${networks}: ${secondDay}`);
  }
});

test('an unused network waits at most ten seconds for each network beyond forty that attacks, also over restarts', () => {
  for (const [networks, restartsEveryS] of [
    [1, 1_000_000],
    [40, 60],
    [100, 1_000_000],
    [100, 7],
    [300, 300],
  ] as const) {
    const ada = new Guessed();
    const beganAtMs = ada.nowMs;
    // All networks are tried again and again, always before the person.
    let waitMs = 1;
    for (let second = 0; waitMs > 0; second++) {
      ada.nowMs = beganAtMs + second * SECOND_MS;
      if (second % restartsEveryS === restartsEveryS - 1) ada.restart();
      for (let n = 0; n < networks; n++) ada.guess('', `${n}`);
      waitMs = ada.enter('', 'unused');
    }
    const promisedMs = Math.max(0, networks - 40 + 1) * PASSWORD_ROOM_MS;
    assert.ok(ada.nowMs - beganAtMs <= promisedMs, `${networks}: ${ada.nowMs - beganAtMs} ms`);
  }
});

test('wrong secrets are mailed when there are ten of a day, once a day', () => {
  const wrong = (count: number, lastAtMs = 0) => [{ count, lastAtMs }];
  assert.equal(isToldByMail(wrong(9), null, 0), false);
  assert.equal(isToldByMail([...wrong(4), ...wrong(6)], null, 0), true);
  assert.equal(isToldByMail(wrong(10), null, 2 * DAY_MS), false, 'long ago');
  assert.equal(isToldByMail(wrong(10), -DAY_MS + 1, 0), false);
  assert.equal(isToldByMail(wrong(10), -DAY_MS, 0), true);
});
