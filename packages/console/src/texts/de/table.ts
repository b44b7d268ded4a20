import type { table as english } from '../en/table.ts';

export const table: typeof english = {
  orderBy: 'Ordnen nach',
  usualOrder: 'Wie aufgelistet',
  showMore: (shown, all) => `Mehr zeigen (${shown} von ${all})`,
  loadMore: 'Mehr laden',
  nothing: 'Nichts passt dazu.',
  filters: 'Filter',
  clearFilters: 'Filter aufheben',
  facility: 'Betrieb',
  anyFacility: 'Alle Betriebe',
  device: 'Gerät',
  anyDevice: 'Alle Geräte',
};
