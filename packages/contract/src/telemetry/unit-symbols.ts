/** How people write the units that have a name of their own in the API; every other unit is written as it was declared. */
const SYMBOLS: Readonly<Record<string, string>> = {
  percent: '%',
  celsius: '°C',
  degree: '°',
  degrees: '°',
  hpa: 'hPa',
  dbm: 'dBm',
  lux: 'lx',
  volt: 'V',
};

export const unitSymbol = (unit: string): string => SYMBOLS[unit.toLowerCase()] ?? unit;
