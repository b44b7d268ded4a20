import type { ComponentType } from 'preact';
import { useConsole, useScope } from '../context/console.ts';
import { addressOf } from '../context/routes.ts';
import { Notice } from '../kit/messages.tsx';
import { Tabs } from '../kit/tabs.tsx';
import { texts } from '../texts.ts';
import { AuditPage } from './audit-page.tsx';
import { BridgesPage } from './bridges-page.tsx';
import { DevicesPage } from './devices-page.tsx';
import { HealthPage } from './health-page.tsx';
import { KeysPage } from './keys-page.tsx';
import { NotificationsPage } from './notifications-page.tsx';
import { PeoplePage } from './people-page.tsx';
import { SignInPage } from './sign-in-page.tsx';
import { TerminalsPage } from './terminals-page.tsx';
import { WebhooksPage } from './webhooks-page.tsx';
import './administration-view.css';

const PAGES = {
  devices: DevicesPage,
  bridges: BridgesPage,
  people: PeoplePage,
  'sign-in': SignInPage,
  terminals: TerminalsPage,
  keys: KeysPage,
  webhooks: WebhooksPage,
  notifications: NotificationsPage,
  audit: AuditPage,
  health: HealthPage,
} satisfies Readonly<Record<string, ComponentType>>;

type PageName = keyof typeof PAGES;
const PAGE_NAMES = Object.keys(PAGES) as readonly PageName[];
const FOR_EVERYBODY: readonly PageName[] = ['bridges', 'health'];

/** The administration needs a key with the scope `admin`; the state of the service and of its bridges is shown to everybody. */
export function AdministrationView() {
  const { id } = useConsole().navigation.route.value;
  const { administration } = texts.value;
  const isAdmin = useScope('admin');
  const offered = PAGE_NAMES.filter((name) => isAdmin || FOR_EVERYBODY.includes(name));
  const current = offered.find((name) => name === id) ?? offered[0] ?? 'health';
  const Page = PAGES[current];
  return (
    <>
      <h1 class="only-for-readers">{administration.title}</h1>
      <Tabs
        label={administration.title}
        current={current}
        tabs={offered.map((name) => ({
          name,
          title: administration.pages[name],
          address: addressOf('administration', name),
        }))}
      />
      {!isAdmin && id !== null && !FOR_EVERYBODY.some((name) => name === id) && (
        <Notice>{administration.onlyAdmin}</Notice>
      )}
      <Page key={current} />
    </>
  );
}
