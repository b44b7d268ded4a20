export const table = {
  orderBy: 'Order by',
  usualOrder: 'As listed',
  showMore: (shown: number, all: number) => `Show more (${shown} of ${all})`,
  loadMore: 'Load more',
  nothing: 'Nothing here.',
};
