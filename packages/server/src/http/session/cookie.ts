import { SESSION_COOKIE } from '@granary/contract/session';
import { DAY_MS, SECOND_MS } from '@granary/contract/time';

/** As long as a session lasts at most; the service ends it earlier where it is not used. */
const LASTS_S = (30 * DAY_MS) / SECOND_MS;

const cookie = (value: string, lastsS: number, isEncrypted: boolean): string =>
  [
    `${SESSION_COOKIE}=${value}`,
    `Max-Age=${lastsS}`,
    'Path=/',
    'HttpOnly',
    'SameSite=Strict',
    ...(isEncrypted ? ['Secure'] : []),
  ].join('; ');

export const sessionCookie = (secret: string, isEncrypted: boolean): string =>
  cookie(secret, LASTS_S, isEncrypted);

export const removedCookie = (isEncrypted: boolean): string => cookie('', 0, isEncrypted);
