import './app.css';
import { signal } from '@preact/signals';
import {
  Component,
  type ComponentChildren,
  type ComponentType,
  type FunctionComponent,
  type JSX,
} from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { AlertSignals } from '../alerts/alert-signals.ts';
import { useConsole } from '../context/console.ts';
import type { Route } from '../context/routes.ts';
import { Button } from '../kit/button.tsx';
import { DialogTop } from '../kit/dialog.tsx';
import { EmptyState } from '../kit/empty-state.tsx';
import { Notice } from '../kit/messages.tsx';
import { Overview } from '../overview/overview.tsx';
import { texts } from '../texts/texts.ts';
import { AlarmBar } from './alarm-bar.tsx';
import { CommandPalette } from './command-palette.tsx';
import { MovementStrip } from './movement-strip.tsx';
import { NavigationBar } from './navigation-bar.tsx';

const LAZY_VIEWS: Readonly<Record<Exclude<Route['view'], 'overview'>, LazyView>> = {
  map: lazyView(async () => (await import('../map/field-map.tsx')).FieldMap),
  administration: lazyView(
    async () => (await import('../administration/administration-view.tsx')).AdministrationView,
  ),
  operations: lazyView(async () => (await import('../operations/operations-view.tsx')).OperationsView),
  orders: lazyView(async () => (await import('../foresight/orders-view.tsx')).OrdersView),
  devices: lazyView(async () => (await import('../devices/device-page.tsx')).DevicePage),
  alerts: lazyView(async () => (await import('../alerts/alerts-view.tsx')).AlertsView),
  me: lazyView(async () => (await import('../me/me-view.tsx')).MeView),
  reports: lazyView(async () => (await import('../reports/reports-view.tsx')).ReportsView),
  shift: lazyView(async () => (await import('../shifts/shift-view.tsx')).ShiftView),
  start: lazyView(async () => (await import('../start/start-view.tsx')).StartView),
  wall: lazyView(async () => (await import('../wall/wall-view.tsx')).WallView),
};
/** Loaded only when a browser is used for the first time. */
const PersonDialog = lazyView(async () => (await import('../session/person-dialog.tsx')).PersonDialog);
/** Loaded only where people share a browser. */
const TerminalBar = lazyView(async () => (await import('../terminals/terminal-bar.tsx')).TerminalBar);
/** The list of proposals; `null` until it is loaded, which is after the first view. */
const loadedProposals = signal<ComponentType | null>(null);
/** The notice that somebody guesses a secret of the person; it is also loaded after the first view. */
const loadedGuesses = signal<ComponentType | null>(null);
const ConfirmationDialog = lazyView(
  async () => (await import('../terminals/confirmation-dialog.tsx')).ConfirmationDialog,
);
const VIEWS: Readonly<Record<Route['view'], ComponentType>> = { ...LAZY_VIEWS, overview: Overview };
/** Loads the code of a view before it is shown. */
export function preloadView(view: Route['view']): void {
  if (view !== 'overview') LAZY_VIEWS[view].preload();
}

/** The other views are loaded well after the first one; a loaded view can also be opened while the service does not answer. */
const PRELOAD_AFTER_MS = 2_000;

export function App() {
  const { live, navigation, session, confirming, personAsked } = useConsole();
  const { state } = live.connection.current.value;
  const { view: asked, id } = navigation.route.value;
  const view = session.kind === 'display' ? 'wall' : asked;
  const View = VIEWS[view];
  const isWall = view === 'wall';
  const isRead = live.connection.isRead.value;
  const main = useRef<HTMLElement>(null);
  const Proposals = loadedProposals.value;
  const Guesses = loadedGuesses.value;
  useEffect(() => {
    if (!isRead) return;
    const timer = setTimeout(() => {
      for (const view of Object.values(LAZY_VIEWS)) view.preload();
      import('../operations/proposals.tsx').then(
        ({ Proposals }) => {
          loadedProposals.value = Proposals;
        },
        () => undefined,
      );
      import('../me/wrong-secrets.tsx').then(
        ({ WrongSecretsNotice }) => {
          loadedGuesses.value = WrongSecretsNotice;
        },
        () => undefined,
      );
    }, PRELOAD_AFTER_MS);
    return () => clearTimeout(timer);
  }, [isRead]);
  useEffect(() => {
    // The element that was pressed does not exist any more, so the focus moves to the view.
    if (isRead && document.activeElement === document.body) main.current?.focus({ preventScroll: true });
  }, [isRead, view, id]);
  return (
    <DialogTop.Provider value={MovementStrip}>
      <div class={`app ${state} view-${view} ${isWall ? 'wall-screen' : ''}`}>
        <AlertSignals />
        {!isWall && (
          <button type="button" class="button skip-link" onClick={() => main.current?.focus()}>
            {texts.value.shell.skip}
          </button>
        )}
        <AlarmBar />
        <MovementStrip />
        {session.terminal !== null && <TerminalBar />}
        {!isWall && <NavigationBar />}
        {!isWall && <CommandPalette />}
        {confirming.value !== null && <ConfirmationDialog />}
        {isRead && personAsked.value !== null && <PersonDialog />}
        <main ref={main} tabIndex={-1}>
          {isRead && !isWall && Proposals !== null && (
            <ViewBoundary name={texts.value.proposals.title}>
              <Proposals />
            </ViewBoundary>
          )}
          {isRead && !isWall && Guesses !== null && (
            <ViewBoundary name={texts.value.me.wrongSecrets}>
              <Guesses />
            </ViewBoundary>
          )}
          {isRead ? (
            <ViewBoundary key={`${view} ${id}`} name={sectionName(view)}>
              <View />
            </ViewBoundary>
          ) : (
            <Notice>{texts.value.shell.loading}</Notice>
          )}
        </main>
      </div>
    </DialogTop.Provider>
  );
}

const sectionName = (view: Route['view']): string => {
  const { shell } = texts.value;
  const names: Readonly<Record<string, string>> = shell.sections;
  return names[view] ?? shell.thisView;
};

interface BoundaryProps {
  readonly name: string;
  readonly children: ComponentChildren;
}

/** Keeps the alarms and the stops on the page when a view fails. */
class ViewBoundary extends Component<BoundaryProps, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false };

  override componentDidCatch(error: unknown): void {
    console.error(error);
    this.setState({ hasFailed: true });
  }

  override render() {
    if (!this.state.hasFailed) return this.props.children;
    const { shell, common } = texts.value;
    return (
      <EmptyState drawing="quiet" title={shell.viewFailed(this.props.name)} text={shell.restGoesOn}>
        <Button onPress={() => this.setState({ hasFailed: false })}>{common.retry}</Button>
      </EmptyState>
    );
  }
}

/** A view whose script is loaded when it is first opened, or earlier. */
type LazyView = FunctionComponent & { preload(): void };

function lazyView(load: () => Promise<ComponentType>): LazyView {
  const state = signal<ComponentType | 'loading' | 'failed' | null>(null);
  const start = (): void => {
    if (state.peek() !== null && state.peek() !== 'failed') return;
    state.value = 'loading';
    load().then(
      (loaded) => {
        state.value = loaded;
      },
      () => {
        state.value = 'failed';
      },
    );
  };
  const LazyView = (): JSX.Element => {
    useEffect(start, []);
    const { shell, common } = texts.value;
    const View = state.value;
    if (View === 'failed') {
      return (
        <Notice>
          {shell.viewNotLoaded} <Button onPress={start}>{common.retry}</Button>
        </Notice>
      );
    }
    return View === null || View === 'loading' ? <Notice>{shell.loading}</Notice> : <View />;
  };
  return Object.assign(LazyView, { preload: start });
}
