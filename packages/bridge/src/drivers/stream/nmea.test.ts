import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NmeaReader } from './nmea.ts';

const checked = (body: string): string => {
  let sum = 0;
  for (const character of body) sum ^= character.charCodeAt(0);
  return `$${body}*${sum.toString(16).toUpperCase().padStart(2, '0')}`;
};

/** Two sentences that most descriptions of NMEA 0183 show. */
const GGA = '$GPGGA,123519,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,*47';
const RMC = '$GPRMC,123519,A,4807.038,N,01131.000,E,022.4,084.4,230394,003.1,W*6A';

test('sentences of one second are one message', () => {
  const reader = new NmeaReader();
  assert.equal(reader.read(GGA), null);
  assert.equal(reader.read(RMC), null);
  assert.equal(reader.read(checked('GPVTG,084.4,T,081.3,M,022.4,N,041.5,K')), null);
  assert.deepEqual(reader.read(checked('GNGGA,123520,4807.038,S,01131.000,W,2,09,0.8,-3.1,M,46.9,M,,')), {
    fix: 1,
    satellites: 8,
    latitude: 48.1173,
    longitude: 11.51666667,
    hdop: 0.9,
    altitude: 545.4,
    time: '2094-03-23T12:35:19Z',
    speed_kn: 22.4,
    course: 84.4,
  });
  assert.deepEqual(reader.read(checked('GNRMC,123521,V,,,,,,,181126,,')), {
    fix: 2,
    satellites: 9,
    latitude: -48.1173,
    longitude: -11.51666667,
    hdop: 0.8,
    altitude: -3.1,
  });
});

test('without a fix there is no position', () => {
  const reader = new NmeaReader();
  reader.read(checked('GPGGA,123519,4807.038,N,01131.000,E,0,00,,,M,,M,,'));
  reader.read(checked('GPRMC,123519,V,4807.038,N,01131.000,E,022.4,084.4,181126,,'));
  assert.deepEqual(reader.read(RMC.replace('123519', '123520').replace('*6A', '*60')), {
    fix: 0,
    satellites: 0,
    time: '2026-11-18T12:35:19Z',
  });
});

test('a line with a wrong checksum, cut off or of another kind is not used', () => {
  const reader = new NmeaReader();
  for (const line of [
    '',
    'x',
    GGA.replace('4807', '4808'),
    GGA.slice(0, -1),
    `${GGA}${'0'.repeat(200)}`,
    '$*00',
  ])
    assert.equal(reader.read(line), undefined, line);
  assert.equal(reader.read(checked('GPGSV,3,1,11,03,03,111,00')), null);
  assert.equal(reader.read(checked('GPtoString,1').replace('toString', 'XTE')), undefined);
  assert.equal(reader.read(checked('GPGGA,1,9999.9,N,01191.0,E,1,08,0.9,1,M,,M,,')), null);
  assert.deepEqual(reader.read(checked('GPGGA,2,,,,,0,,,,,,,,')), {
    fix: 1,
    satellites: 8,
    hdop: 0.9,
    altitude: 1,
  });
});
