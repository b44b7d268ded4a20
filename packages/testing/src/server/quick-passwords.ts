/** The usual costs are there to make guessing slow; they would be most of what a test about people costs. */
export const QUICK_PASSWORDS = { memory: 64, passes: 1 };
