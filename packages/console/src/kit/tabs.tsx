import { useEffect, useRef } from 'preact/hooks';
import './tabs.css';

interface Tab {
  readonly name: string;
  readonly title: string;
  readonly address: string;
}

interface Props {
  readonly label: string;
  readonly tabs: readonly Tab[];
  readonly current: string;
}

/** Shows the parts of a view. Each has an address of its own; on a phone the present one is scrolled into view. */
export function Tabs({ label, tabs, current }: Props) {
  const present = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    const show = (): void => present.current?.scrollIntoView({ block: 'nearest', inline: 'center' });
    show();
    // When the font of the page is loaded, the widths change.
    void document.fonts.ready.then(show);
  }, [current, tabs.map(({ title }) => title).join()]);
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(({ name, title, address }) => (
        <a
          key={name}
          href={address}
          ref={name === current ? present : null}
          aria-current={name === current ? 'page' : undefined}
        >
          {title}
        </a>
      ))}
    </nav>
  );
}
