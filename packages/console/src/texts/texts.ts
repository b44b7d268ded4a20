import { computed, signal } from '@preact/signals';
import type { LanguageTexts, Texts } from './en/texts.ts';

/** The name of each language in itself, and its texts, which are in a file of their own, so that a reader loads only one. */
const ALL = {
  en: { name: 'English', load: () => import('./en/texts.ts') },
  de: { name: 'Deutsch', load: () => import('./de/texts.ts') },
  es: { name: 'Español', load: () => import('./es/texts.ts') },
  fr: { name: 'Français', load: () => import('./fr/texts.ts') },
  nl: { name: 'Nederlands', load: () => import('./nl/texts.ts') },
  pl: { name: 'Polski', load: () => import('./pl/texts.ts') },
} satisfies Record<string, { name: string; load: () => Promise<{ LANGUAGE: LanguageTexts }> }>;

export type Language = keyof typeof ALL;

export const isLanguage = (text: string): text is Language => Object.hasOwn(ALL, text);

export const LANGUAGES = Object.keys(ALL).filter(isLanguage);

export const languageName = (language: Language): string => ALL[language].name;

export const loadTexts = async (language: Language): Promise<LanguageTexts> =>
  (await ALL[language].load()).LANGUAGE;

const used = signal<{ readonly name: Language; readonly of: LanguageTexts } | null>(null);

/** Resolves when the page is written in this language; nothing can be shown before this has happened once. */
export async function useLanguage(name: Language): Promise<void> {
  used.value = { name, of: await loadTexts(name) };
}

const current = computed(() => {
  if (used.value === null) throw new Error('no language is loaded');
  return used.value;
});

/** The language that the viewer chose, or the first available one of the browser. */
export const language = computed(() => current.value.name);

export const texts = computed<Texts>(() => current.value.of.texts);

export const templates = computed(() => current.value.of.templates);

export const errorTexts = computed(() => current.value.of.errors);

/** The locale for numbers and times, which differ within a language: `en-GB` and `en-US` write a time differently. */
export const locale = computed(() => localeOf(language.value, navigator.languages));

const baseOf = (locale: string): string => locale.toLowerCase().split('-')[0] ?? '';

export const localeOf = (chosen: Language, wanted: readonly string[]): string =>
  wanted.find((one) => baseOf(one) === chosen) ?? chosen;

export const languageOf = (wanted: readonly string[]): Language =>
  wanted.map(baseOf).find(isLanguage) ?? 'en';
