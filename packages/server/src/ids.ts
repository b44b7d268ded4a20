import { randomBytes } from 'node:crypto';

/** Requests are many: a random start and a count tell them apart without asking for chance each time. */
export function requestIds(): () => string {
  const run = randomBytes(6).toString('hex');
  let count = 0;
  return () => `req_${run}_${(++count).toString(36)}`;
}
