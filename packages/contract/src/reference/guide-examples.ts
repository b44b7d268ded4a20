import examples from './guide-examples.json' with { type: 'json' };
import type { GuideExamples } from './message-schemas.ts';

/** A copy, made by `npm run references`, for the service, which has no guide. */
export const GUIDE_EXAMPLES: GuideExamples = examples;
