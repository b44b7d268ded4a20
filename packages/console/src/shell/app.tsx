import './app.css';
import { signal } from '@preact/signals';
import type { ComponentType, FunctionComponent, JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { AlertSignals } from '../alerts/alert-signals.ts';
import { useConsole } from '../context/console.ts';
import type { Route } from '../context/routes.ts';
import { Button } from '../kit/button.tsx';
import { DialogTop } from '../kit/dialog.tsx';
import { Notice } from '../kit/messages.tsx';
import { Overview } from '../overview/overview.tsx';
import { texts } from '../texts/texts.ts';
import { AlarmBar } from './alarm-bar.tsx';
import { MovementStrip } from './movement-strip.tsx';
import { NavigationBar } from './navigation-bar.tsx';

const LAZY_VIEWS = {
  map: lazyView(async () => (await import('../map/field-map.tsx')).FieldMap),
  administration: lazyView(
    async () => (await import('../administration/administration-view.tsx')).AdministrationView,
  ),
  operations: lazyView(async () => (await import('../operations/operations-view.tsx')).OperationsView),
  devices: lazyView(async () => (await import('../devices/device-page.tsx')).DevicePage),
  alerts: lazyView(async () => (await import('../alerts/alerts-view.tsx')).AlertsView),
};
const VIEWS: Readonly<Record<Route['view'], ComponentType>> = { ...LAZY_VIEWS, overview: Overview };

/** Long after the first view is there; a view that is loaded already also opens while the service does not answer. */
const PRELOAD_AFTER_MS = 2_000;

export function App() {
  const { live, navigation } = useConsole();
  const { state } = live.connection.current.value;
  const View = VIEWS[navigation.route.value.view];
  const isConnecting = state === 'connecting';
  useEffect(() => {
    if (isConnecting) return;
    const timer = setTimeout(() => {
      for (const view of Object.values(LAZY_VIEWS)) view.preload();
    }, PRELOAD_AFTER_MS);
    return () => clearTimeout(timer);
  }, [isConnecting]);
  return (
    <DialogTop.Provider value={MovementStrip}>
      <div class={`app ${state}`}>
        <AlertSignals />
        <AlarmBar />
        <MovementStrip />
        <NavigationBar />
        <main>{state === 'connecting' ? <Notice>{texts.value.shell.loading}</Notice> : <View />}</main>
      </div>
    </DialogTop.Provider>
  );
}

/** A view whose script is loaded when it is opened for the first time, or before. */
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
