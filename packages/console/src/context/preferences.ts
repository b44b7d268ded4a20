import type { Client } from '@granary/client';
import { UNIT_CHOICES } from '@granary/contract/outline';
import type { Units } from '@granary/contract/views';
import { isLanguage, type Language, languageOf } from '@granary/words/languages';
import { effect, type Signal, signal } from '@preact/signals';
import { language, useLanguage } from '../texts.ts';
import type { SignedIn } from './signed-in.ts';
import { METRIC, units } from './units.ts';

const PREFIX = 'granary.';

export const THEMES = ['system', 'light', 'dark'] as const;

type Theme = (typeof THEMES)[number];

/** The choices of the viewer, kept in the browser because none of them is secret. */
export interface Preferences {
  readonly theme: Signal<Theme>;
  /** The name of the person for the records of changes; empty where none is given. */
  readonly person: Signal<string>;
  readonly hasSound: Signal<boolean>;
  /** Whether the viewer wants to see the notice that everything is simulated. */
  readonly showsDemoNotice: Signal<boolean>;
}

/** Resolves when the texts of the viewer's language are loaded. */
export async function openPreferences(): Promise<Preferences> {
  const theme = signal<Theme>(THEMES.find((one) => one === stored('theme')) ?? 'system');
  const person = signal(stored('person') ?? '');
  const hasSound = signal(stored('sound') === 'on');
  const showsDemoNotice = signal(stored('demo-notice') !== 'off');
  const chosen = stored('language') ?? '';
  await useLanguage(isLanguage(chosen) ? chosen : languageOf(navigator.languages));
  effect(() => {
    if (theme.value === 'system') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = theme.value;
    store('theme', theme.value);
  });
  effect(() => store('person', person.value));
  effect(() => store('sound', hasSound.value ? 'on' : 'off'));
  effect(() => store('demo-notice', showsDemoNotice.value ? 'on' : 'off'));
  effect(() => {
    document.documentElement.lang = language.value;
  });
  return { theme, person, hasSound, showsDemoNotice };
}

/** If the service does not answer, the language stays. */
export async function chooseLanguage(chosen: Language): Promise<void> {
  await useLanguage(chosen);
  store('language', chosen);
}

const ASKED_AFTER_MS = 2_000;

let unitsOf: object | null = null;

/**
 * Reads the units of the caller who has signed in. A person has the same units in every browser. Several people may use one key, so each
 * browser keeps its own units for it, and begins with those that were chosen last with the key.
 */
export async function openUnits(client: Client, session: SignedIn): Promise<void> {
  const { key_id, kind } = session;
  unitsOf = session;
  const kept = readUnits(stored(`units.${key_id}`));
  units.value = kept ?? METRIC;
  if (kept !== null && kind !== 'person') return;
  // The kept units are usually right, and the first view needs the connection.
  if (kept !== null) await new Promise((resolve) => setTimeout(resolve, ASKED_AFTER_MS));
  const { units: chosen } = await client.views.preferences();
  // Another person may have signed in meanwhile, or other units may have been chosen.
  if (unitsOf !== session) return;
  units.value = chosen ?? METRIC;
  store(`units.${key_id}`, JSON.stringify(units.peek()));
}

/** If the service does not answer, the units stay. */
export async function chooseUnits(
  client: Client,
  { key_id }: SignedIn,
  changes: Partial<Units>,
): Promise<void> {
  const chosen = { ...units.peek(), ...changes };
  await client.views.changePreferences({ units: chosen });
  unitsOf = null;
  units.value = chosen;
  store(`units.${key_id}`, JSON.stringify(chosen));
}

/** `null` for a text that this page cannot have written. */
function readUnits(text: string | null): Units | null {
  try {
    const read = JSON.parse(text ?? 'null');
    const isKnown = Object.entries(UNIT_CHOICES).every(([kind, choices]) =>
      (choices as readonly unknown[]).includes(read?.[kind]),
    );
    return isKnown ? read : null;
  } catch {
    return null;
  }
}

/** `null` where the browser forbids the storage. */
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
