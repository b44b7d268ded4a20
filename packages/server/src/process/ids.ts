import { randomBytes } from 'node:crypto';

/** A random start and a counter make request ids unique without a new random number for each request. */
export function requestIds(): () => string {
  const run = randomBytes(6).toString('hex');
  let count = 0;
  return () => `req_${run}_${(++count).toString(36)}`;
}
