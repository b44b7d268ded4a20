import { computed, signal } from '@preact/signals';
import { de } from './de/texts.ts';
import { en, type Texts } from './en/texts.ts';

export const LANGUAGES = ['en', 'de'] as const;
export type Language = (typeof LANGUAGES)[number];

const ALL: Readonly<Record<Language, Texts>> = { en, de };

/** The language that the viewer chose, or the first one of the browser that there is. */
export const language = signal<Language>('en');

export const texts = computed<Texts>(() => ALL[language.value]);

/** For numbers and times, which differ within a language: `en-GB` and `en-US` write a time differently. */
export const locale = computed(() => localeOf(language.value, navigator.languages));

export const localeOf = (chosen: Language, wanted: readonly string[]): string =>
  wanted.find((one) => one.toLowerCase().startsWith(chosen)) ?? chosen;

export const languageOf = (wanted: readonly string[]): Language =>
  wanted.map((one) => one.slice(0, 2).toLowerCase()).find(isLanguage) ?? 'en';

export const isLanguage = (text: string): text is Language => (LANGUAGES as readonly string[]).includes(text);
