/** The weakest signals, in dBm, that have one, two, three and four bars. */
const LIMITS = [-110, -95, -80, -65];

export const barsOf = (dbm: number | null): number =>
  dbm === null ? 0 : LIMITS.filter((limit) => dbm >= limit).length;
