import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { AlertSignals } from './alerts/signals/alert-signals.tsx';
import { useConsole } from './console.ts';
import { AlarmBar } from './frame/alarm-bar.tsx';
import { MovementStrip } from './frame/movement-strip.tsx';
import { NavigationBar } from './frame/navigation-bar.tsx';
import { Overview } from './overview/overview.tsx';
import { lazyView } from './parts/lazy-view.tsx';
import { Notice } from './parts/notice.tsx';
import type { Route } from './routes.ts';
import { texts } from './texts/texts.ts';
import './app.css';

const LAZY_VIEWS = {
  map: lazyView(async () => (await import('./map/field-map.tsx')).FieldMap),
  administration: lazyView(
    async () => (await import('./administration/administration-view.tsx')).AdministrationView,
  ),
  operations: lazyView(async () => (await import('./operations/operations-view.tsx')).OperationsView),
  devices: lazyView(async () => (await import('./devices/device-page.tsx')).DevicePage),
  alerts: lazyView(async () => (await import('./alerts/alerts-view.tsx')).AlertsView),
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
    <div class={`app ${state}`}>
      <AlertSignals />
      <AlarmBar />
      <MovementStrip />
      <NavigationBar />
      <main>{state === 'connecting' ? <Notice>{texts.value.frame.loading}</Notice> : <View />}</main>
    </div>
  );
}
