import { type Static, Type } from 'typebox';
import { closed } from '../input/closed.ts';

/** A value that is changed; `before` of a new value and `after` of a removed one are `null`. */
export const Difference = closed({ path: Type.String(), before: Type.Unknown(), after: Type.Unknown() });

export type Difference = Static<typeof Difference>;
