import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CHALLENGE_MS } from '@granary/core/session';
import { ChallengeKey, newChallenge, newChallengeKey, usableChallenge } from './challenges.ts';

const NOW_MS = Date.UTC(2026, 0, 1);

describe('a challenge for a passkey', () => {
  const key = newChallengeKey();

  it('is known by its key alone, until its end', () => {
    const { challenge, expiresAtMs } = newChallenge(key, NOW_MS);
    assert.equal(expiresAtMs, NOW_MS + CHALLENGE_MS);
    const used = usableChallenge(challenge, key, NOW_MS);
    assert.deepEqual([used?.expiresAtMs, used?.hash.length], [expiresAtMs, 64]);
    assert.ok(usableChallenge(challenge, key, expiresAtMs - 1) !== null);
    assert.equal(usableChallenge(challenge, key, expiresAtMs), null);
    assert.equal(usableChallenge(challenge, newChallengeKey(), NOW_MS), null);
    assert.notEqual(newChallenge(key, NOW_MS).challenge, challenge);
  });

  it('cannot be changed, and every text for the same bytes is the same challenge', () => {
    const { challenge } = newChallenge(key, NOW_MS);
    const bytes = Buffer.from(challenge, 'base64url');
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      assert.equal(usableChallenge(changed.toString('base64url'), key, NOW_MS), null, `byte ${at}`);
    }
    for (const junk of ['', 'AAAA', 'A'.repeat(72), `${challenge}AAAA`, challenge.slice(0, 40)]) {
      assert.equal(usableChallenge(junk, key, NOW_MS), null, junk);
    }
    const hash = usableChallenge(challenge, key, NOW_MS)?.hash;
    for (const text of [`${challenge}=`, bytes.toString('base64'), ` ${challenge}`]) {
      assert.ok([undefined, hash].includes(usableChallenge(text, key, NOW_MS)?.hash), text);
    }
  });

  it('has the key that was stored first, which is read once', async () => {
    let kept: string | undefined;
    let found = 0;
    const store = {
      find: async () => {
        found++;
        return kept;
      },
      keep: async (one: string) => {
        kept ??= one;
      },
    };
    const nodes = [new ChallengeKey(), new ChallengeKey()];
    const [one, other] = await Promise.all(nodes.map((node) => node.get(store)));
    assert.deepEqual([one, other], [kept, kept]);
    const before = found;
    assert.deepEqual(await Promise.all(nodes.map((node) => node.get(store))), [kept, kept]);
    assert.equal(found, before);
  });
});
