import type { overview as english } from '../en/overview.ts';

export const overview: typeof english = {
  title: 'Übersicht',
  empty: 'Es gibt noch keine Geräte. Legen Sie unter Verwaltung eines an.',
  nothingFound: 'Kein Gerät passt dazu.',
};
