import { ChallengeKey } from '../../process/keys/challenges.ts';
import type { Attempted } from '../exchange.ts';
import type { Parts } from '../route-dependencies.ts';

/** Finds the key of challenges, and makes it with the first request of a new database that needs it. */
export function challengeKeyFor({ reads, changes }: Parts<'reads' | 'changes'>) {
  const key = new ChallengeKey();
  return (exchange: Attempted): Promise<string> =>
    key.get({
      find: () => reads(exchange.request).session.challengeKey(),
      keep: (made) => changes(exchange).session.keepChallengeKey(made),
    });
}
