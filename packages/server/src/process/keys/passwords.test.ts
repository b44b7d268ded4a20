import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RequestTime } from '@granary/common/request-time';
import { SECOND_MS } from '@granary/contract/time';
import { Argon2, type Argon2Job } from './argon2.ts';
import { Passwords } from './passwords.ts';

/** The work belongs to no request. */
const NO_LIMIT = { time: null };
const LATE = { code: 'rate_limited', message: /try again/ };

test('passwords are compared one at a time, 200 wait, and further ones are refused', async () => {
  const passwords = new Passwords();
  let begun = 0;
  // Each of these is refused when it is its turn, so nothing is computed.
  const begin = async (): Promise<void> => {
    begun++;
    throw new Error('not this one');
  };
  const first = passwords.matches('wrong', null, NO_LIMIT);
  const others = Array.from({ length: 205 }, () => passwords.matches('wrong', null, { begin, time: null }));
  const results = await Promise.allSettled(others);
  const codes = results.map((one) => (one.status === 'rejected' ? (one.reason.code ?? 'begun') : 'compared'));
  assert.equal(codes.filter((code) => code === 'rate_limited').length, 5);
  assert.equal(begun, 200);
  assert.equal(await first, false);
});

test('as much is computed for a name that nobody has as for a wrong password', async () => {
  const argon2 = new Argon2();
  const jobs: object[] = [];
  const derive = ({ message, nonce, ...costs }: Argon2Job): Promise<Buffer> => {
    jobs.push({ ...costs, nonceBytes: Buffer.byteLength(nonce) });
    return argon2.derive({ message, nonce, ...costs });
  };
  const passwords = new Passwords({ argon2: { derive } });
  const stored = await passwords.hash('the right one', null);
  for (const one of [stored, null]) {
    assert.equal(await passwords.matches('not the right one', one, NO_LIMIT), false);
  }
  const [, ofWrong, ofNobody, ...others] = jobs;
  assert.deepEqual([ofNobody, others], [ofWrong, []]);
});

test('a password waits for one PIN at most, however many are guessed', async () => {
  const passwords = new Passwords();
  const compared: string[] = [];
  const note = (what: string) => (): void => void compared.push(what);
  const guesses = Array.from({ length: 5 }, () =>
    passwords.matchesPin('4072', null, NO_LIMIT).then(note('PIN')),
  );
  const signIns = [1, 2].map(() => passwords.matches('wrong', null, NO_LIMIT).then(note('password')));
  await Promise.all([...guesses, ...signIns]);
  assert.deepEqual(compared, ['PIN', 'password', 'PIN', 'password', 'PIN', 'PIN', 'PIN']);
});

test('one whose request has no time left is refused before anything is counted or computed', async () => {
  const passwords = new Passwords();
  let counted = 0;
  const count = async (): Promise<void> => void counted++;
  const pin = (time: RequestTime) => passwords.matchesPin('4072', null, { begin: count, time });
  await assert.rejects(pin(new RequestTime(SECOND_MS / 2)), LATE);
  assert.equal(counted, 0);
  const soon = new RequestTime(SECOND_MS + 50);
  const held = Promise.withResolvers<void>();
  const first = passwords.matches('wrong', null, { begin: () => held.promise, time: null });
  await assert.rejects(pin(soon), LATE, 'before its turn has come');
  held.resolve();
  assert.equal(await first, false);
  assert.equal(counted, 0);
  assert.equal(await pin(new RequestTime()), false);
  assert.equal(counted, 1);
});

test('a stored password is argon2id with a salt of its own, and matches however its letters are written', async () => {
  const passwords = new Passwords();
  const [one, other] = [
    await passwords.hash('Müller in der Scheune', null),
    await passwords.hash('Müller in der Scheune', null),
  ];
  assert.match(one, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  assert.notEqual(one, other);
  assert.equal(await passwords.matches('Müller in der Scheune'.normalize('NFD'), one, NO_LIMIT), true);
  assert.equal(await passwords.matches('Müller in der Scheune!', one, NO_LIMIT), false);
  assert.equal(await passwords.matches('Müller in der Scheune', null, NO_LIMIT), false);
});
