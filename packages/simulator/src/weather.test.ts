import assert from 'node:assert/strict';
import { test } from 'node:test';
import { weatherStation } from '@granary/contract/profiles/weather-station';
import { CHANNELS } from '@granary/contract/telemetry/channels';
import { DAY_MS, HOUR_MS } from '@granary/contract/time';
import { STATIONS, weatherAt } from './weather.ts';

const START_MS = Date.UTC(2026, 5, 15);

for (const station of STATIONS) {
  test(`${station.id} measures plausible weather at any time, and some rain in a month`, () => {
    let rainMm = 0;
    for (let timeMs = START_MS; timeMs < START_MS + 30 * DAY_MS; timeMs += HOUR_MS) {
      const reading = weatherAt(station, timeMs, timeMs - HOUR_MS);
      assert.ok(weatherStation.checkTelemetry.accepts(reading));
      for (const channel of weatherStation.channels) {
        const { min, max } = CHANNELS[channel];
        assert.ok(reading[channel] >= min && reading[channel] <= max, `${channel} ${reading[channel]}`);
      }
      rainMm += reading.rainfall;
    }
    assert.ok(rainMm > 20 && rainMm < 250, `${rainMm} mm`);
  });
}
