import './navigation-bar.css';
import { set } from '../kit/set.ts';
import './settings-menu.css';
import { isLanguage, LANGUAGES, languageName } from '@granary/words/languages';
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { SoundSwitch } from '../alerts/sound-switch.tsx';
import { isSharedBrowser, personOf, useConsole } from '../context/console.ts';
import { chooseLanguage, THEMES } from '../context/preferences.ts';
import { addressOf, addressOfView } from '../context/routes.ts';
import { Button } from '../kit/button.tsx';
import { bound, SelectInput, TextInput } from '../kit/inputs.tsx';
import { language, texts } from '../texts.ts';
import { PaletteButton } from './command-palette.tsx';
import { VIEWS, viewNamed } from './views.ts';

/** The navigation, at the top on a desk screen and at the foot on a phone. */
export function NavigationBar() {
  const { view } = useConsole().navigation.route.value;
  const { shell } = texts.value;
  const current = viewNamed(view).section ?? view;
  return (
    <header class="navigation-bar">
      <a class="brand" href={addressOf('overview')}>
        Granary
      </a>
      <nav aria-label={shell.navigation}>
        {Object.entries(VIEWS).map(([name, { sign, title }]) =>
          sign === undefined ? null : (
            <a key={name} href={addressOfView(name)} aria-current={name === current ? 'page' : undefined}>
              <svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
                <path d={sign} />
              </svg>
              <span>{title?.()}</span>
            </a>
          ),
        )}
      </nav>
      <SearchBox />
      <PaletteButton />
      <SettingsMenu />
    </header>
  );
}

/** Searches the overview from every view; the key `/` leads here. */
function SearchBox() {
  const { navigation } = useConsole();
  const input = useRef<HTMLInputElement>(null);
  const { shell } = texts.value;
  const { view, query } = navigation.route.value;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== '/' || isTyping(event.target)) return;
      event.preventDefault();
      input.current?.focus();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  const search = (text: string): void => {
    if (view === 'overview') navigation.filter({ q: text });
    else if (text !== '') navigation.open(addressOf('overview', null, { q: text }));
  };
  return (
    <input
      ref={input}
      class="search"
      type="search"
      aria-label={shell.search}
      placeholder={matchMedia('(pointer: coarse)').matches ? shell.search : shell.searchHint}
      maxLength={200}
      value={view === 'overview' ? (query.get('q') ?? '') : ''}
      onInput={({ currentTarget }) => search(currentTarget.value)}
    />
  );
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.matches('input, textarea, select') || target.isContentEditable);

function SettingsMenu() {
  const { navigation, preferences, session, signOut } = useConsole();
  const { shell } = texts.value;
  const person = personOf({ preferences, session });
  const menu = useRef<HTMLDetailsElement>(null);
  useEffect(() => closeOnLeave(menu), []);
  useEffect(() => {
    if (menu.current !== null) menu.current.open = false;
  }, [navigation.route.value]);
  return (
    <details ref={menu} class="settings-menu">
      <summary aria-label={person === '' ? shell.menu : `${shell.menu}: ${person}`}>
        <svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
          <path d="M10 10a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM3.5 17c.8-3.4 3.3-5 6.5-5s5.7 1.6 6.5 5" />
        </svg>
        {person !== '' && <span class="settings-person">{person}</span>}
      </summary>
      <div class="panel">
        <p class="muted">
          {shell.signedInWith} <strong class="free-text">{session.name}</strong>
        </p>
        {session.kind === 'service' && (
          <TextInput label={shell.person} hint={shell.personHint} {...bound(preferences.person)} />
        )}
        <SelectInput
          label={shell.theme}
          value={preferences.theme.value}
          onValue={(chosen) => set(preferences.theme, THEMES.find((theme) => theme === chosen) ?? 'system')}
          options={THEMES.map((theme) => [theme, shell.themes[theme]])}
        />
        <SelectInput
          label={shell.language}
          value={language.value}
          onValue={(chosen) => {
            if (isLanguage(chosen)) chooseLanguage(chosen).catch(() => undefined);
          }}
          options={LANGUAGES.map((name) => [name, languageName(name)])}
        />
        <SoundSwitch />
        {!isSharedBrowser(session) && <a href={addressOf('me')}>{texts.value.me.title}</a>}
        {Object.entries(VIEWS).map(([name, { isInMenu, title }]) =>
          isInMenu === true ? (
            <a key={name} href={addressOfView(name)}>
              {title?.()}
            </a>
          ) : null,
        )}
        <a href="/docs">{shell.apiReference}</a>
        {!isSharedBrowser(session) && <Button onPress={() => void signOut()}>{shell.signOut}</Button>}
      </div>
    </details>
  );
}

/** Escape closes the menu and returns the focus to its button; a press elsewhere closes it. Returns the function that ends this. */
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
