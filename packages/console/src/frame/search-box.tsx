import { useEffect, useRef } from 'preact/hooks';
import { useConsole } from '../console.ts';
import { addressOf } from '../routes.ts';
import { texts } from '../texts/texts.ts';

/** Searches the overview from every view; the key `/` leads here. */
export function SearchBox() {
  const { navigation } = useConsole();
  const input = useRef<HTMLInputElement>(null);
  const { frame } = texts.value;
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
      aria-label={frame.search}
      placeholder={frame.searchHint}
      maxLength={200}
      value={view === 'overview' ? (query.get('q') ?? '') : ''}
      onInput={({ currentTarget }) => search(currentTarget.value)}
    />
  );
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.matches('input, textarea, select') || target.isContentEditable);
