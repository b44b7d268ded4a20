import { randomBytes } from 'node:crypto';

const SESSION_BYTES = 32;
const CODE_BYTES = 24;

/** The value of the cookie. */
export const newSessionSecret = (): string => `gs_${randomBytes(SESSION_BYTES).toString('base64url')}`;

const SESSION_SECRET = /^gs_[\w-]{43}$/;

export const isSessionSecret = (text: string): boolean => SESSION_SECRET.test(text);

export const newSignInCode = (): string => `gc_${randomBytes(CODE_BYTES).toString('base64url')}`;

/** What identifies a caller: the text of an API key, or the secret of a session after a mark. */
export type Credential = string;

/** No key contains a space, so none is mistaken for a session. */
const SESSION_MARK = 'session ';

export const sessionCredential = (secret: string): Credential => SESSION_MARK + secret;

export const isOfSession = (credential: Credential): boolean => credential.startsWith(SESSION_MARK);

/** `null` where the credential is a key. */
export const sessionSecretOf = (credential: Credential): string | null =>
  isOfSession(credential) ? credential.slice(SESSION_MARK.length) : null;
