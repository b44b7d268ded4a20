import { computed, signal } from '@preact/signals';
import type { LanguageTexts, Texts } from './en/texts.ts';

export const LANGUAGES = ['en', 'de'] as const;
export type Language = (typeof LANGUAGES)[number];

/** Each language is a file of its own, so that a reader loads one. */
export const LOAD_TEXTS: Readonly<Record<Language, () => Promise<LanguageTexts>>> = {
  en: async () => (await import('./en/texts.ts')).ENGLISH_TEXTS,
  de: async () => (await import('./de/texts.ts')).GERMAN_TEXTS,
};

const used = signal<{ readonly name: Language; readonly of: LanguageTexts } | null>(null);

/** Resolves when the page is written in this language; nothing can be shown before that happened once. */
export async function useLanguage(name: Language): Promise<void> {
  used.value = { name, of: await LOAD_TEXTS[name]() };
}

const current = computed(() => {
  if (used.value === null) throw new Error('no language is loaded');
  return used.value;
});

/** The language that the viewer chose, or the first one of the browser that there is. */
export const language = computed(() => current.value.name);

export const texts = computed<Texts>(() => current.value.of.texts);

export const templates = computed(() => current.value.of.templates);

export const errorTexts = computed(() => current.value.of.errors);

/** For numbers and times, which differ within a language: `en-GB` and `en-US` write a time differently. */
export const locale = computed(() => localeOf(language.value, navigator.languages));

export const localeOf = (chosen: Language, wanted: readonly string[]): string =>
  wanted.find((one) => one.toLowerCase().startsWith(chosen)) ?? chosen;

export const languageOf = (wanted: readonly string[]): Language =>
  wanted.map((one) => one.slice(0, 2).toLowerCase()).find(isLanguage) ?? 'en';

export const isLanguage = (text: string): text is Language => (LANGUAGES as readonly string[]).includes(text);
