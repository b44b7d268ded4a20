import type { Sources } from './compile.ts';
import { type LanguageTexts, languageTexts } from './language-texts.ts';

interface LanguageFile {
  /** What the language calls itself. */
  readonly name: string;
  /** Each catalogue is a file of its own, so that a page loads only that of its reader. */
  readonly load: () => Promise<{ readonly default: Sources }>;
}

/** The languages that there are. A new one is a line here, and its file. */
const FILES = {
  en: { name: 'English', load: () => import('../catalogue/en.json', { with: { type: 'json' } }) },
  de: { name: 'Deutsch', load: () => import('../catalogue/de.json', { with: { type: 'json' } }) },
  es: { name: 'Español', load: () => import('../catalogue/es.json', { with: { type: 'json' } }) },
  fr: { name: 'Français', load: () => import('../catalogue/fr.json', { with: { type: 'json' } }) },
  nl: { name: 'Nederlands', load: () => import('../catalogue/nl.json', { with: { type: 'json' } }) },
  pl: { name: 'Polski', load: () => import('../catalogue/pl.json', { with: { type: 'json' } }) },
} as const satisfies Record<string, LanguageFile>;

export type Language = keyof typeof FILES;

export const isLanguage = (text: string): text is Language => Object.hasOwn(FILES, text);

export const LANGUAGES: readonly Language[] = Object.keys(FILES).filter(isLanguage);

export const languageName = (language: Language): string => FILES[language].name;

export const loadCatalogue = async (language: Language): Promise<Sources> =>
  (await FILES[language].load()).default;

export const loadTexts = async (language: Language): Promise<LanguageTexts> =>
  languageTexts(language, await loadCatalogue(language));

const baseOf = (locale: string): string => locale.toLowerCase().split('-')[0] ?? '';

/** The first of the wanted locales whose language there is; otherwise English. */
export const languageOf = (wanted: readonly string[]): Language =>
  wanted.map(baseOf).find(isLanguage) ?? 'en';

/** The locale for numbers and times, which differ within a language: `en-GB` and `en-US` write a time differently. */
export const localeOf = (chosen: Language, wanted: readonly string[]): string =>
  wanted.find((locale) => baseOf(locale) === chosen) ?? chosen;
