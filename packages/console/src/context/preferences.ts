import { effect, type Signal, signal } from '@preact/signals';
import { isLanguage, type Language, language, languageOf, useLanguage } from '../texts/texts.ts';

const PREFIX = 'granary.';

export const THEMES = ['system', 'light', 'dark'] as const;

export type Theme = (typeof THEMES)[number];

/** What the viewer has chosen; kept in the browser, because none of it is secret. */
export interface Preferences {
  readonly theme: Signal<Theme>;
  /** The name of the person, for the records of what is done; empty where none is given. */
  readonly person: Signal<string>;
  readonly hasSound: Signal<boolean>;
}

/** Resolves when the texts of the viewer's language are there. */
export async function openPreferences(): Promise<Preferences> {
  const theme = signal<Theme>(THEMES.find((one) => one === stored('theme')) ?? 'system');
  const person = signal(stored('person') ?? '');
  const hasSound = signal(stored('sound') === 'on');
  const chosen = stored('language') ?? '';
  await useLanguage(isLanguage(chosen) ? chosen : languageOf(navigator.languages));
  effect(() => {
    if (theme.value === 'system') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = theme.value;
    store('theme', theme.value);
  });
  effect(() => store('person', person.value));
  effect(() => store('sound', hasSound.value ? 'on' : 'off'));
  effect(() => {
    document.documentElement.lang = language.value;
  });
  return { theme, person, hasSound };
}

/** Where the service does not answer, the language stays. */
export async function chooseLanguage(chosen: Language): Promise<void> {
  await useLanguage(chosen);
  store('language', chosen);
}

/** A browser may forbid the storage. */
function stored(name: string): string | null {
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    return null;
  }
}

function store(name: string, value: string): void {
  try {
    localStorage.setItem(PREFIX + name, value);
  } catch {
    // The choice holds until the page is closed.
  }
}
