const DECIMALS = 7;
/** About a centimetre. */
export const COORDINATE_RESOLUTION = 1e-7;

/** No finer than a sensor resolves. Decimal noise such as 0.30000000000000004 would only travel and be stored. */
export const round = (value: number, resolution: number): number =>
  Number((Math.round(value / resolution) * resolution).toFixed(DECIMALS));
