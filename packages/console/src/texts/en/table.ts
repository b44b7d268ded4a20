export const table = {
  orderBy: 'Order by',
  usualOrder: 'As listed',
  showMore: (shown: number, all: number) => `Show more (${shown} of ${all})`,
  loadMore: 'Load more',
  nothing: 'Nothing matches.',
  filters: 'Filters',
  clearFilters: 'Clear filters',
  facility: 'Facility',
  anyFacility: 'All facilities',
  device: 'Device',
  anyDevice: 'All devices',
};
