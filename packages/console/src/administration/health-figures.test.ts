import assert from 'node:assert/strict';
import { test } from 'node:test';
import { figuresOf, parseMetrics } from './health-figures.ts';

const TEXT = `# HELP granary_build_info The version.
# TYPE granary_build_info gauge
granary_build_info{version="0.1.0",node="26.10.0",storage="sqlite"} 1
granary_link_connected_devices 15
granary_storage_write_duration_seconds_sum 0.5
granary_storage_write_duration_seconds_count 100
granary_webhook_deliveries{status="pending"} 3
granary_disk_free_bytes 2500000000
granary_disk_size_bytes 10000000000
granary_tls_certificate_expiry_timestamp_seconds 1796083200
granary_webhook_deliveries{status="dead"} 1
granary_http_requests_total{method="GET",route="/v1/a \\"b\\", {c}",status="2xx"} 7
granary_http_requests_total{method="GET",route="/v1/x",status="5xx"} 2
granary_some_bucket{le="+Inf"} +Inf
not a sample
`;

test('samples have their labels and values', () => {
  const metrics = parseMetrics(TEXT);
  assert.deepEqual(metrics.get('granary_link_connected_devices'), [{ labels: {}, value: 15 }]);
  assert.equal(metrics.get('granary_http_requests_total')?.[0]?.labels['status'], '2xx');
  assert.equal(metrics.get('granary_some_bucket')?.[0]?.value, Number.POSITIVE_INFINITY);
  assert.equal(metrics.has('not'), false);
});

test('figures are sums of samples, and null where the service does not tell', () => {
  const figures = figuresOf(parseMetrics(TEXT));
  assert.equal(figures.storage, 'sqlite');
  assert.equal(figures.meanWriteMs, 5);
  assert.deepEqual(figures.webhooks, [3, 1]);
  assert.deepEqual(figures.requests, [9, 2]);
  assert.deepEqual(figures.disk, { freeBytes: 2.5e9, sizeBytes: 1e10 });
  assert.equal(figures.certificateEndsMs, Date.parse('2026-12-01T00:00:00Z'));
  assert.deepEqual([figures.notifications, figures.memoryBytes, figures.startedAtMs], [null, null, null]);
});

test('an empty answer has no figures', () => {
  const known = Object.values(figuresOf(parseMetrics(''))).filter((figure) => figure !== null);
  assert.deepEqual(known, []);
});
