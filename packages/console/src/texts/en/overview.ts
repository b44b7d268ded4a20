export const overview = {
  title: 'Overview',
  empty: 'There are no devices yet. Register one under Administration.',
  nothingFound: 'No device matches.',
};
