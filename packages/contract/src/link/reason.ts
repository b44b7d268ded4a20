import { note } from '../input/text-schemas.ts';

const REASON_CHARS_MAX = 500;
export const Reason = note(REASON_CHARS_MAX);
