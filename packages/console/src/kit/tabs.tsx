import './tabs.css';

export interface Tab {
  readonly name: string;
  readonly title: string;
  readonly address: string;
}

interface Props {
  readonly label: string;
  readonly tabs: readonly Tab[];
  readonly current: string;
}

/** The parts of a view. Each has an address of its own. */
export const Tabs = ({ label, tabs, current }: Props) => (
  <nav class="tabs" aria-label={label}>
    {tabs.map(({ name, title, address }) => (
      <a key={name} href={address} aria-current={name === current ? 'page' : undefined}>
        {title}
      </a>
    ))}
  </nav>
);
