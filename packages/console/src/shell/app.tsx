import './app.css';
import { signal } from '@preact/signals';
import { Component, type ComponentChildren, type ComponentType } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { AlertSignals } from '../alerts/alert-signals.ts';
import { useConsole } from '../context/console.ts';
import { Button } from '../kit/button.tsx';
import { DialogTop } from '../kit/dialog.tsx';
import { EmptyState } from '../kit/empty-state.tsx';
import { Notice } from '../kit/messages.tsx';
import { set } from '../kit/set.ts';
import { texts } from '../texts.ts';
import { AlarmBar } from './alarm-bar.tsx';
import { CommandPalette } from './command-palette.tsx';
import { lazyView } from './lazy-view.tsx';
import { MovementStrip } from './movement-strip.tsx';
import { NavigationBar } from './navigation-bar.tsx';
import { preloadView, VIEWS, viewNamed } from './views.ts';

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

/** The other views are loaded well after the first one; a loaded view can also be opened while the service does not answer. */
const PRELOAD_AFTER_MS = 2_000;

export function App() {
  const { live, navigation, session, confirming, personAsked } = useConsole();
  const { state } = live.connection.current.value;
  const { view: asked, id } = navigation.route.value;
  const view = session.kind === 'display' ? 'wall' : asked;
  const { View, title } = viewNamed(view);
  const isWall = view === 'wall';
  const isRead = live.connection.isRead.value;
  const main = useRef<HTMLElement>(null);
  const Proposals = loadedProposals.value;
  const Guesses = loadedGuesses.value;
  useEffect(() => {
    if (!isRead) return;
    const timer = setTimeout(() => {
      for (const view of Object.keys(VIEWS)) preloadView(view);
      import('../operations/proposals.tsx').then(
        ({ Proposals }) => set(loadedProposals, Proposals),
        () => undefined,
      );
      import('../me/wrong-secrets.tsx').then(
        ({ WrongSecretsNotice }) => set(loadedGuesses, WrongSecretsNotice),
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
            <ViewBoundary key={`${view} ${id}`} name={title?.() ?? texts.value.shell.thisView}>
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
      <EmptyState drawing="quiet" title={shell.viewFailed({ name: this.props.name })} text={shell.restGoesOn}>
        <Button onPress={() => this.setState({ hasFailed: false })}>{common.retry}</Button>
      </EmptyState>
    );
  }
}
