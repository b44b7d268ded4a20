import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Passwords } from './passwords.ts';

test('passwords are compared two at a time, 200 wait, and further ones are refused', async () => {
  const passwords = new Passwords(2);
  let begun = 0;
  // Refused when it is its turn, so that nothing is computed.
  const begin = (): void => {
    begun++;
    throw new Error('not this one');
  };
  const first = [1, 2].map(() => passwords.matches('wrong', null));
  const others = Array.from({ length: 205 }, () => passwords.matches('wrong', null, begin));
  const results = await Promise.allSettled(others);
  const codes = results.map((one) => (one.status === 'rejected' ? (one.reason.code ?? 'begun') : 'compared'));
  assert.equal(codes.filter((code) => code === 'rate_limited').length, 5);
  assert.equal(begun, 200);
  assert.deepEqual(await Promise.all(first), [false, false]);
});

test('a password waits for one PIN at most, however many are guessed', async () => {
  const passwords = new Passwords(1);
  const compared: string[] = [];
  const note = (what: string) => (): void => void compared.push(what);
  const guesses = Array.from({ length: 5 }, () => passwords.matchesPin('4072', null).then(note('PIN')));
  const signIns = [1, 2].map(() => passwords.matches('wrong', null).then(note('password')));
  await Promise.all([...guesses, ...signIns]);
  assert.deepEqual(compared, ['PIN', 'password', 'PIN', 'password', 'PIN', 'PIN', 'PIN']);
});

test('a stored password is argon2id with a salt of its own, and matches however its letters are written', async () => {
  const passwords = new Passwords();
  const [one, other] = [
    await passwords.hash('Müller in der Scheune'),
    await passwords.hash('Müller in der Scheune'),
  ];
  assert.match(one, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  assert.notEqual(one, other);
  assert.equal(await passwords.matches('Müller in der Scheune'.normalize('NFD'), one), true);
  assert.equal(await passwords.matches('Müller in der Scheune!', one), false);
  assert.equal(await passwords.matches('Müller in der Scheune', null), false);
});
