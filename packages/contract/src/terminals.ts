import { type Static, Type } from 'typebox';
import { checker, closed, described } from './input/schema.ts';
import { line } from './input/text-schemas.ts';
import { Timestamp } from './input/timestamp.ts';
import { Facilities, OptionalTimestamp } from './keys.ts';
import { GivenPassword, Login, Pin, SecondFactorCode, ShownName } from './people.ts';
import { MINUTE_MS } from './time.ts';

export const TERMINAL_KINDS = ['terminal', 'display'] as const;

/** A terminal is locked after this time without a touch. */
export const TERMINAL_IDLE_MS = 5 * MINUTE_MS;

export const NewTerminal = closed({
  name: ShownName,
  kind: described(
    'A `terminal` is shared by people who sign in with their PIN; locked it reads and stops. A `display` only reads.',
    Type.Enum(TERMINAL_KINDS),
  ),
  facilities: Facilities,
});

export const Terminal = closed({
  terminal_id: described(
    'Also the `key_id` of what is done there while nobody has signed in.',
    Type.String(),
  ),
  kind: Type.Enum(TERMINAL_KINDS),
  name: line(200),
  facilities: Facilities,
  created_at: Timestamp,
  last_used_at: OptionalTimestamp,
  ended_at: OptionalTimestamp,
});

/** The only answer that contains the code of the link. */
export const TerminalLink = closed({
  terminal: Terminal,
  code: described(
    'Works once: `#sign-in=<code>` on the operators’ page, in the browser of the terminal.',
    Type.String(),
  ),
  expires_at: Timestamp,
});

/** One of those who may sign in at the terminal. */
export const TerminalPerson = closed({
  login: Login,
  name: line(200),
  needs_password: described(
    'There is no PIN, or it was entered wrongly too often: only the password counts.',
    Type.Boolean(),
  ),
});

/** The sign-in has the PIN, or the password if the PIN is no longer accepted; with a second factor the password needs its code. */
export const TerminalSignIn = Type.Union([
  closed({ login: Login, pin: Pin }),
  closed({ login: Login, password: GivenPassword, second_factor: SecondFactorCode }),
]);

export type NewTerminal = Static<typeof NewTerminal>;
export type Terminal = Static<typeof Terminal>;
export type TerminalLink = Static<typeof TerminalLink>;
export type TerminalPerson = Static<typeof TerminalPerson>;
export type TerminalSignIn = Static<typeof TerminalSignIn>;

export const checkNewTerminal = checker(NewTerminal);
export const checkTerminalSignIn = checker(TerminalSignIn);
