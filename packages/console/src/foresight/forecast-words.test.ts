import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS, HOUR_MS } from '@granary/contract/time';
import { loadTexts } from '@granary/words/languages';
import { useLanguage } from '../texts.ts';
import {
  deliverSentence,
  emptySentence,
  fitSentence,
  likelyTimesMs,
  orderSentence,
  type Told,
  timeAhead,
  tooMuchSentence,
} from './forecast-words.ts';

process.env['TZ'] = 'UTC';
const NOW_MS = Date.parse('2026-11-17T08:00:00Z');
const EN = {
  nowMs: NOW_MS,
  language: 'en-GB',
  words: (await loadTexts('en')).page.foresight,
  timeZone: 'UTC',
};
const DE = { nowMs: NOW_MS, language: 'de', words: (await loadTexts('de')).page.foresight, timeZone: 'UTC' };
const at = (ms: number): string => new Date(NOW_MS + ms).toISOString();
const told = (p10: number, p50: number, p90: number): Told => ({
  status: 'ok',
  empty: { p10: at(p10), p50: at(p50), p90: at(p90) },
  order_by: null,
});

describe('the sentence about a silo', () => {
  it('is as exact as the time is near', () => {
    const near = told(12 * HOUR_MS, 30.4 * HOUR_MS, 47 * HOUR_MS);
    assert.equal(emptySentence(near, EN), 'Empty Wed 14:00 (Tue 20:00 to Thu 07:00)');
    const days = told(2.5 * DAY_MS, 3 * DAY_MS, 4.5 * DAY_MS);
    assert.equal(emptySentence(days, EN), 'Empty Fri morning (Thu afternoon to Sat afternoon)');
    const far = told(6 * DAY_MS, 9 * DAY_MS, 13 * DAY_MS);
    assert.equal(emptySentence(far, EN), 'Empty Thu 26 Nov (Mon 23 Nov to Mon 30 Nov)');
    assert.equal(emptySentence(days, DE), 'Leer Fr vormittags (Do nachmittags bis Sa nachmittags)');
  });

  it('says no time that is not known', () => {
    const none = { empty: null, order_by: null };
    assert.equal(emptySentence({ ...none, status: 'learning' }, EN), 'Learning: no forecast yet');
    assert.equal(emptySentence({ ...none, status: 'ok' }, EN), 'Lasts more than 30 days');
    const wide = { status: 'unpredictable', empty: { p10: at(DAY_MS), p50: null, p90: null } } as const;
    assert.equal(emptySentence({ ...wide, order_by: null }, EN), 'No date: not before Wed 08:00');
  });

  it('names the last moment to order, and says so when it has passed', () => {
    const order = (ms: number): Told => ({ status: 'ok', empty: null, order_by: at(ms) });
    assert.equal(orderSentence(order(26 * HOUR_MS), EN), 'Order by Wed 10:00');
    assert.equal(orderSentence(order(-HOUR_MS), DE), 'Jetzt bestellen: eine Lieferung kommt zu spät');
  });

  it('has twenty likely times in order, of which two are before p10 and two after p90, and none in the past', () => {
    const times = likelyTimesMs(told(DAY_MS, 2 * DAY_MS, 5 * DAY_MS), NOW_MS);
    assert.equal(times.length, 20);
    assert.deepEqual(
      times,
      times.toSorted((one, other) => one - other),
    );
    assert.equal(times.filter((ms) => ms < NOW_MS + DAY_MS).length, 2);
    assert.equal(times.filter((ms) => ms > NOW_MS + 5 * DAY_MS).length, 2);
    assert.ok(likelyTimesMs(told(0, HOUR_MS, 2 * HOUR_MS), NOW_MS).every((ms) => ms >= NOW_MS));
  });

  it('is in the time of the silo, whose place is named where its clocks differ', async () => {
    await useLanguage('en');
    const there = { ...EN, timeZone: 'America/New_York' };
    const order: Told = { status: 'ok', empty: null, order_by: at(26 * HOUR_MS) };
    assert.equal(orderSentence(order, there), 'Order by Wed 05:00, New York time');
    const halfHour = { ...EN, timeZone: 'Asia/Kolkata' };
    assert.equal(orderSentence(order, halfHour), 'Order by Wed 16:00, Kolkata time');
    assert.equal(orderSentence(order, { ...EN, timeZone: 'Africa/Abidjan' }), 'Order by Wed 10:00');
    assert.equal(timeAhead(at(3 * DAY_MS + 5 * HOUR_MS), there), 'Fri morning');
  });
});

describe('what fits', () => {
  const mass = (kg: number): string => `${kg} kg`;

  it('is all of it from a time on, and what fits now', () => {
    const fits_from = at(3 * DAY_MS + 3 * HOUR_MS);
    assert.equal(
      fitSentence({ kg: 14_100, fits_from, fits_now_kg: 9_600 }, mass, EN),
      '14100 kg fit from Fri morning · 9600 kg fit now',
    );
    assert.equal(fitSentence({ kg: 14_100, fits_from, fits_now_kg: 14_100 }, mass, EN), '14100 kg fit now');
    assert.equal(fitSentence({ kg: 9, fits_from, fits_now_kg: 0 }, mass, DE), '9 kg passen ab Fr vormittags');
  });

  it('warns of a delivery that does not fit as a whole', () => {
    const entered = { kg: 14_100, fitsKg: 10_200, fitsFrom: at(28 * HOUR_MS) };
    assert.equal(tooMuchSentence(entered, mass, EN), 'Only 10200 kg fit then; all of it from Wed 12:00');
    const never = { ...entered, fitsFrom: null };
    assert.match(tooMuchSentence(never, mass, EN) ?? '', /when all of it fits is not in sight$/);
    assert.equal(tooMuchSentence({ ...entered, fitsKg: 14_099.5 }, mass, EN), null);
  });

  it('is told with one time where the window is no longer', () => {
    const [from, to] = [at(3 * DAY_MS + HOUR_MS), at(3 * DAY_MS + 2 * HOUR_MS)];
    assert.equal(deliverSentence({ from, to }, EN), 'Deliver Fri morning');
    assert.match(deliverSentence({ from: at(0), to }, EN), /^Deliver between .* and Fri morning$/);
  });

  it('moves the time of running empty where it was entered', () => {
    const later = { p10: at(5 * DAY_MS), p50: at(8 * DAY_MS), p90: at(12 * DAY_MS) };
    const ordered: Told = {
      ...told(HOUR_MS, 2 * HOUR_MS, 3 * HOUR_MS),
      with_deliveries: { deliveries: [], empty: later },
    };
    assert.equal(
      emptySentence(ordered, EN),
      emptySentence({ ...ordered, empty: later, with_deliveries: null }, EN),
    );
    assert.ok(likelyTimesMs(ordered, NOW_MS).every((ms) => ms > NOW_MS + 3 * DAY_MS));
    const never: Told = { ...ordered, with_deliveries: { deliveries: [], empty: null } };
    assert.equal(emptySentence(never, EN), 'Lasts more than 30 days');
  });
});
