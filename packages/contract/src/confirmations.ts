import { type Static, Type } from 'typebox';
import { DeviceId } from './ids.ts';
import { checker, closed, described } from './input/schema.ts';
import { id, line } from './input/text-schemas.ts';
import { Timestamp } from './input/timestamp.ts';
import { GivenPassword, Login, Pin, SecondFactorCode } from './people.ts';

/** How people confirm requests that cause movement: not at all, again by themselves, or by another person who may operate there. */
export const RECONFIRMATIONS = ['none', 'pin', 'second_person'] as const;

/** The actions that cause movement or declare an end. Stops are not among them, and a hold or an emergency stop is never confirmed. */
const CONFIRMED_ACTIONS = [
  'operations.feed',
  'operations.discharge',
  'operations.declareEnded',
  'proposals.confirm',
  'commands.give',
  'commands.declareEnded',
  'missions.create',
  'missions.resume',
  'missions.declareEnded',
] as const;

const FACILITIES_MAX = 1_000;

export const Reconfirmation = closed({
  facility: described('`null`: every facility that is not named.', Type.Union([line(200), Type.Null()])),
  how: Type.Enum(RECONFIRMATIONS),
});

/** A field of the sign-in policy. */
export const Reconfirmations = described(
  'Where people confirm starts, releases of emergency stops and declared ends once more. Programs with API keys are not asked, and nobody is for a stop.',
  Type.Array(Reconfirmation, { maxItems: FACILITIES_MAX }),
);

const ConfirmationFields = {
  action: described('The name of the endpoint that is called next.', Type.Enum(CONFIRMED_ACTIONS)),
  device_id: DeviceId,
  resource_id: Type.Optional(described('The operation, command or mission in its path.', id())),
  body: Type.Optional(described('The body that is sent next, unchanged.', Type.Unknown())),
  login: Type.Optional(described('Of the second person; without it the caller confirms.', Login)),
};

/** The confirmation has the PIN, which is valid at terminals only, or the password; a second person with a second factor adds its code. */
export const NewConfirmation = Type.Union([
  closed({ ...ConfirmationFields, pin: Pin }),
  closed({ ...ConfirmationFields, password: GivenPassword, second_factor: SecondFactorCode }),
]);

export const Confirmation = closed({
  confirmation_id: described('Sent once in the header `X-Confirmation`, within 60 seconds.', Type.String()),
  confirmed_by: closed({ key_id: Type.String(), name: Type.String() }),
  expires_at: Timestamp,
});

export type Reconfirmation = Static<typeof Reconfirmation>;
export type NewConfirmation = Static<typeof NewConfirmation>;
export type ConfirmedAction = NewConfirmation['action'];
export type Confirmation = Static<typeof Confirmation>;

export const checkNewConfirmation = checker(NewConfirmation);
