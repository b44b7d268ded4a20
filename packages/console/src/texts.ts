import type { LanguageTexts } from '@granary/words/language-texts';
import { type Language, loadTexts, localeOf } from '@granary/words/languages';
import type { Texts as AllTexts } from '@granary/words/texts';
import { computed, signal } from '@preact/signals';

/** The texts of the page. */
export type Texts = AllTexts['page'];

const used = signal<{ readonly language: Language; readonly all: LanguageTexts } | null>(null);

/** Resolves when the page is written in this language; nothing can be shown before this has happened once. */
export async function useLanguage(language: Language): Promise<void> {
  used.value = { language, all: await loadTexts(language) };
}

const current = computed(() => {
  if (used.value === null) throw new Error('no language is loaded');
  return used.value;
});

/** The language that the viewer chose, or the first available one of the browser. */
export const language = computed(() => current.value.language);

export const texts = computed<Texts>(() => current.value.all.page);

/** The messages of the sentences that the service sends as a code with values, and what each error code means. */
export const messages = computed<LanguageTexts>(() => current.value.all);

/** The text of a code of the service; the code itself where the page does not know it yet. */
export const nameOfCode = (names: Readonly<Record<string, string>>, code: string): string =>
  names[code] ?? code;

/** The locale for numbers and times. */
export const locale = computed(() => localeOf(language.value, navigator.languages));
