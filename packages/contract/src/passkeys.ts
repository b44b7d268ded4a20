import { type Static, Type } from 'typebox';
import { checker, closed, described } from './input/schema.ts';
import { form, shownName } from './input/text-schemas.ts';
import { Timestamp } from './input/timestamp.ts';
import { OptionalTimestamp } from './keys.ts';
import { GivenPassword } from './people.ts';
import { sentence } from './sentences/codes.ts';

/** Bytes in the form in which browsers write them in JSON. */
const bytes = (limit: number) =>
  Type.String({ pattern: `^[A-Za-z0-9_-]{1,${limit}}$`, ...form(sentence('base_64_url', { limit })) });

const SignedFields = {
  credential_id: bytes(1_400),
  client_data: described('`clientDataJSON` of the browser.', bytes(4_000)),
  authenticator_data: bytes(4_000),
};

/** The answer of a browser to a challenge. */
export const PasskeyAssertion = closed({ ...SignedFields, signature: bytes(2_000) });

/** A passkey that a browser has made. */
export const NewPasskey = closed({
  ...SignedFields,
  name: shownName(100),
  public_key: described('`getPublicKey()` of the browser: SPKI in DER.', bytes(2_000)),
  current_password: described('The present one.', GivenPassword),
});

export const PasskeyChallenge = closed({
  challenge: described('To be signed once, within 5 minutes.', Type.String()),
  expires_at: Timestamp,
});

export const Passkey = closed({
  passkey_id: Type.String(),
  name: shownName(100),
  created_at: Timestamp,
  last_used_at: OptionalTimestamp,
});

export type PasskeyAssertion = Static<typeof PasskeyAssertion>;
export type NewPasskey = Static<typeof NewPasskey>;
export type Passkey = Static<typeof Passkey>;

export const checkNewPasskey = checker(NewPasskey);
