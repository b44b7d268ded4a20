import catalogue from '../catalogue/en.json' with { type: 'json' };
import { languageTexts } from './language-texts.ts';

const { errors, sentences, words } = catalogue;

/** The English sentences, which the service writes beside each code. */
export const ENGLISH_TEXTS = languageTexts('en', { errors, sentences, words });

/** The English sentences as they stand in the catalogue. */
export const SENTENCE_SOURCES = sentences;
