/** The actions that a device takes by itself. */
export const FAILSAFE_ACTIONS = ['continue', 'hold', 'return_to_base'] as const;
export type FailsafeAction = (typeof FAILSAFE_ACTIONS)[number];
