/** `GRANARY_TEST_SIZE=full` runs the long versions of the tests that come in two sizes; see CONTRIBUTING.md. */
export const IS_FULL_SIZE = process.env['GRANARY_TEST_SIZE'] === 'full';

/** Random choices of a test follow from its seed; `GRANARY_TEST_SEED` repeats a run that failed. */
export const SEED = Number(process.env['GRANARY_TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
