import type { ComponentType } from 'preact';
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

const VIEWS: Readonly<Partial<Record<Route['view'], ComponentType>>> = {
  map: lazyView(async () => (await import('./map/field-map.tsx')).FieldMap),
  administration: lazyView(
    async () => (await import('./administration/administration-view.tsx')).AdministrationView,
  ),
  overview: Overview,
  operations: lazyView(async () => (await import('./operations/operations-view.tsx')).OperationsView),
  devices: lazyView(async () => (await import('./devices/device-page.tsx')).DevicePage),
  alerts: lazyView(async () => (await import('./alerts/alerts-view.tsx')).AlertsView),
};

export function App() {
  const { live, navigation } = useConsole();
  const { state } = live.connection.current.value;
  const View = VIEWS[navigation.route.value.view] ?? Overview;
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
