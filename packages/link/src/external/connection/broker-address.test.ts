import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseBrokerUrl } from './broker-address.ts';

test('an address has a host, and optionally a login and a port', () => {
  assert.deepEqual(parseBrokerUrl('mqtt://broker.example.com'), {
    host: 'broker.example.com',
    port: 1883,
    isSecure: false,
    username: null,
    password: null,
  });
  assert.deepEqual(parseBrokerUrl('mqtts://granary:p%40ss%2Fword@[::1]:9999'), {
    host: '::1',
    port: 9999,
    isSecure: true,
    username: 'granary',
    password: 'p@ss/word',
  });
  assert.equal(parseBrokerUrl('mqtts://broker/')?.port, 8883);
});

test('anything else is refused', () => {
  for (const text of [
    'broker',
    'http://broker',
    'mqtt://',
    'mqtt://a/b',
    'mqtt://a?b',
    'mqtt://a:x',
    'mqtt://%zz@a',
  ])
    assert.equal(parseBrokerUrl(text), null, text);
});
