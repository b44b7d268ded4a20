import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { SoundSwitch } from '../alerts/sound-switch.tsx';
import { useConsole } from '../console.ts';
import { Button } from '../parts/button.tsx';
import { Field } from '../parts/forms/field.tsx';
import { chooseLanguage, THEMES } from '../preferences.ts';
import { isLanguage, LANGUAGES, language, texts } from '../texts/texts.ts';
import './settings-menu.css';

export function SettingsMenu() {
  const { navigation, preferences, session, signOut } = useConsole();
  const { frame } = texts.value;
  const person = preferences.person.value.trim();
  const menu = useRef<HTMLDetailsElement>(null);
  useEffect(() => closeOnLeave(menu), []);
  useEffect(() => {
    if (menu.current !== null) menu.current.open = false;
  }, [navigation.route.value]);
  return (
    <details ref={menu} class="settings-menu">
      <summary aria-label={person === '' ? frame.menu : `${frame.menu}: ${person}`}>
        <svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
          <path d="M10 10a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM3.5 17c.8-3.4 3.3-5 6.5-5s5.7 1.6 6.5 5" />
        </svg>
        {person !== '' && <span class="settings-person">{person}</span>}
      </summary>
      <div class="panel">
        <p class="muted">
          {frame.signedInWith} <strong class="free-text">{session.name}</strong>
        </p>
        <Field label={frame.person} hint={frame.personHint}>
          {(id) => (
            <input
              id={id}
              type="text"
              maxLength={200}
              value={preferences.person.value}
              onInput={({ currentTarget }) => {
                preferences.person.value = currentTarget.value;
              }}
            />
          )}
        </Field>
        <Field label={frame.theme}>
          {(id) => (
            <select
              id={id}
              value={preferences.theme.value}
              onChange={({ currentTarget: { value } }) => {
                preferences.theme.value = THEMES.find((one) => one === value) ?? 'system';
              }}
            >
              {THEMES.map((theme) => (
                <option key={theme} value={theme}>
                  {frame.themes[theme]}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field label={frame.language}>
          {(id) => (
            <select
              id={id}
              value={language.value}
              onChange={({ currentTarget: { value } }) => {
                if (isLanguage(value)) chooseLanguage(value);
              }}
            >
              {LANGUAGES.map((one) => (
                <option key={one} value={one}>
                  {frame.languages[one]}
                </option>
              ))}
            </select>
          )}
        </Field>
        <SoundSwitch />
        <a href="/docs">{frame.apiReference}</a>
        <Button onPress={() => void signOut()}>{frame.signOut}</Button>
      </div>
    </details>
  );
}

/** Escape closes the menu and returns to its sign; a press elsewhere closes it. Returns the way to end this. */
function closeOnLeave(menu: RefObject<HTMLDetailsElement | null>): () => void {
  const ended = new AbortController();
  const { signal } = ended;
  addEventListener(
    'keydown',
    ({ key }) => {
      if (key !== 'Escape' || menu.current?.open !== true) return;
      menu.current.open = false;
      menu.current.querySelector('summary')?.focus();
    },
    { signal },
  );
  addEventListener(
    'pointerdown',
    ({ target }) => {
      if (menu.current !== null && !menu.current.contains(target as Node)) menu.current.open = false;
    },
    { signal },
  );
  return () => ended.abort();
}
