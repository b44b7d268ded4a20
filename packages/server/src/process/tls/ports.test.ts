import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { readSettings } from '../settings.ts';
import { warnOfExposedPorts } from './ports.ts';

function warningsOf(env: Record<string, string>): string[] {
  const lines: string[] = [];
  const logger = pino({}, { write: (line) => void lines.push(JSON.parse(line).msg) });
  warnOfExposedPorts(readSettings(env), logger);
  return lines;
}

const TLS = { GRANARY_TLS_CERT: 'c', GRANARY_TLS_KEY: 'k' };

test('plain ports on this machine only need no warning', () => {
  for (const host of ['127.0.0.1', '127.1.2.3', '::1', 'localhost']) {
    assert.deepEqual(warningsOf({ GRANARY_HTTP_HOST: host, GRANARY_MQTT_HOST: host }), []);
  }
});

test('plain ports that other machines can reach are one warning', () => {
  const [warning = '', ...others] = warningsOf({ GRANARY_HTTP_HOST: '0.0.0.0', GRANARY_MQTT_HOST: '::' });
  assert.match(warning, /^NOT ENCRYPTED: .*HTTP on 0\.0\.0\.0:8080 and MQTT on :::1883/);
  assert.deepEqual(others, []);
  assert.equal(warningsOf({ ...TLS, GRANARY_HTTP_HOST: 'farm.example' }).length, 1);
});

test('encrypted ports need no warning', () => {
  const off = { GRANARY_HTTP_PORT: 'off', GRANARY_MQTT_PORT: 'off' };
  assert.deepEqual(
    warningsOf({ ...TLS, ...off, GRANARY_HTTP_HOST: '0.0.0.0', GRANARY_MQTT_HOST: '0.0.0.0' }),
    [],
  );
  assert.deepEqual(warningsOf({ ...TLS, GRANARY_HTTPS_HOST: '0.0.0.0', GRANARY_MQTTS_HOST: '0.0.0.0' }), []);
});
