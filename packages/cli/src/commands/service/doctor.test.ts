import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accessFinding } from './doctor.ts';

test('devices that the external broker does not know are a warning with a cure', () => {
  const { verdict, message, cure } = accessFinding(3);
  assert.deepEqual([verdict, message], ['warn', 'the broker does not know the credentials of 3 devices']);
  assert.match(cure ?? '', /credentials/);
  assert.equal(accessFinding(0).verdict, 'ok');
});
