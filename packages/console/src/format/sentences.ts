import { formatTime } from './times.ts';

const TIMES = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

/** A sentence of the service, with the times in it in the zone of the viewer. */
export const withLocalTimes = (sentence: string, nowMs: number, language: string): string =>
  sentence.replace(TIMES, (time) => formatTime(time, nowMs, language));
