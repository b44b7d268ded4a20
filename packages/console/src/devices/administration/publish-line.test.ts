import assert from 'node:assert/strict';
import { test } from 'node:test';
import { publishLine } from './publish-line.ts';

const line = (link: Parameters<typeof publishLine>[0]['link']): string =>
  publishLine({ deviceId: 'silo-9', secret: 's3', profile: 'silo_scale', pageHost: 'farm.local', link });

test('the command names host, port and encryption as the service has them', () => {
  assert.match(
    line({ host: null, port: 18_883, is_encrypted: false }),
    /^mosquitto_pub -h farm\.local -p 18883 -i silo-9 -u silo-9 -P 's3' -q 1 /,
  );
  assert.match(
    line({ host: 'broker.example', port: 8_883, is_encrypted: true }),
    /^mosquitto_pub -h broker\.example -p 8883 --tls-use-os-certs -i/,
  );
  assert.match(line(null), /^mosquitto_pub -h farm\.local -i/);
});

test('it sends a reading of what the profile measures', () => {
  assert.ok(
    line(null).endsWith(
      String.raw`-t granary/v1/silo-9/telemetry -m "{\"ts\": $(date +%s)000, \"weight\": 512.5, \"temperature\": 12.5}"`,
    ),
  );
});
