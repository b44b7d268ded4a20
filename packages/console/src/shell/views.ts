import type { ComponentType } from 'preact';
import type { LinkedView } from '../context/routes.ts';
import { Overview } from '../overview/overview.tsx';
import { texts } from '../texts.ts';
import { type LazyView, lazyView } from './lazy-view.tsx';

/** A view with its place in the navigation, the menu and the palette. */
interface PageView {
  readonly View: ComponentType | LazyView;
  /** The name of the view; the palette offers the views that have one. */
  readonly title?: () => string;
  /** The drawing beside the name; views without one are not in the navigation. */
  readonly sign?: string;
  /** The view that the navigation marks instead. */
  readonly section?: LinkedView;
  readonly isInMenu?: boolean;
}

const section = (name: keyof typeof texts.value.shell.sections) => () => texts.value.shell.sections[name];

/** All views, those of the navigation first, in its order; the code of the others than the overview is loaded later. */
export const VIEWS: Readonly<Record<string, PageView> & Record<LinkedView, PageView>> = {
  overview: {
    View: Overview,
    title: section('overview'),
    sign: 'M3 3h5v5H3zM12 3h5v5h-5zM3 12h5v5H3zM12 12h5v5h-5z',
  },
  alerts: {
    View: lazyView(async () => (await import('../alerts/alerts-view.tsx')).AlertsView),
    title: section('alerts'),
    sign: 'M10 3l7.5 13.5h-15zM10 8v4M10 14.2v.3',
  },
  orders: {
    View: lazyView(async () => (await import('../foresight/orders-view.tsx')).OrdersView),
    title: section('orders'),
    sign: 'M2.5 5.5h9v8h-9zM11.5 8h3.2l2.8 2.8v2.7h-6M5.5 15.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM14 15.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3z',
  },
  map: {
    View: lazyView(async () => (await import('../map/field-map.tsx')).FieldMap),
    title: section('map'),
    sign: 'M7.5 4 3 6v11l4.5-2 5 2 4.5-2V4l-4.5 2zM7.5 4v11M12.5 6v11',
  },
  operations: {
    View: lazyView(async () => (await import('../operations/operations-view.tsx')).OperationsView),
    title: section('operations'),
    sign: 'M4 5h12M4 10h12M4 15h8',
  },
  administration: {
    View: lazyView(
      async () => (await import('../administration/administration-view.tsx')).AdministrationView,
    ),
    title: section('administration'),
    sign: 'M10 7a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM10 2.5v2M10 15.5v2M2.5 10h2M15.5 10h2M4.7 4.7l1.4 1.4M13.9 13.9l1.4 1.4M4.7 15.3l1.4-1.4M13.9 6.1l1.4-1.4',
  },
  shift: {
    View: lazyView(async () => (await import('../shifts/shift-view.tsx')).ShiftView),
    title: () => texts.value.shifts.title,
    section: 'operations',
    isInMenu: true,
  },
  reports: {
    View: lazyView(async () => (await import('../reports/reports-view.tsx')).ReportsView),
    title: () => texts.value.reports.title,
    section: 'operations',
    isInMenu: true,
  },
  devices: {
    View: lazyView(async () => (await import('../devices/device-page.tsx')).DevicePage),
    section: 'overview',
  },
  me: { View: lazyView(async () => (await import('../me/me-view.tsx')).MeView) },
  start: { View: lazyView(async () => (await import('../start/start-view.tsx')).StartView) },
  wall: { View: lazyView(async () => (await import('../wall/wall-view.tsx')).WallView) },
};

export const isView = (name: string): boolean => Object.hasOwn(VIEWS, name);

export const viewNamed = (name: string): PageView => VIEWS[name] ?? VIEWS.overview;

/** Loads the code of a view before it is shown. */
export function preloadView(name: string): void {
  const { View } = viewNamed(name);
  if ('preload' in View) View.preload();
}
