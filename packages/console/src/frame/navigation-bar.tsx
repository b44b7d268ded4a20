import { useConsole } from '../console.ts';
import { addressOf, SECTIONS, type Section } from '../routes.ts';
import { texts } from '../texts/texts.ts';
import { SearchBox } from './search-box.tsx';
import { SettingsMenu } from './settings-menu.tsx';
import './navigation-bar.css';

const SIGNS: Readonly<Record<Section, string>> = {
  overview: 'M3 3h5v5H3zM12 3h5v5h-5zM3 12h5v5H3zM12 12h5v5h-5z',
  alerts: 'M10 3l7.5 13.5h-15zM10 8v4M10 14.2v.3',
  map: 'M7.5 4 3 6v11l4.5-2 5 2 4.5-2V4l-4.5 2zM7.5 4v11M12.5 6v11',
  operations: 'M4 5h12M4 10h12M4 15h8',
  administration:
    'M10 7a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM10 2.5v2M10 15.5v2M2.5 10h2M15.5 10h2M4.7 4.7l1.4 1.4M13.9 13.9l1.4 1.4M4.7 15.3l1.4-1.4M13.9 6.1l1.4-1.4',
};

/** At the top of a desk screen, at the bottom of a phone. */
export function NavigationBar() {
  const { view } = useConsole().navigation.route.value;
  const { frame } = texts.value;
  const current = view === 'devices' ? 'overview' : view;
  return (
    <header class="navigation-bar">
      <a class="brand" href={addressOf('overview')}>
        Granary
      </a>
      <nav aria-label={frame.navigation}>
        {SECTIONS.map((section) => (
          <a key={section} href={addressOf(section)} aria-current={section === current ? 'page' : undefined}>
            <svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
              <path d={SIGNS[section]} />
            </svg>
            <span>{frame.sections[section]}</span>
          </a>
        ))}
      </nav>
      <SearchBox />
      <SettingsMenu />
    </header>
  );
}
