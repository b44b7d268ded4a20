import { ask, FIELD_DEVICES, registerSilos, SILOS } from './farm.ts';
import { type Finding, percentile } from './report.ts';
import { startServiceProcess } from './service-process.ts';

const TARGET_MS = 50;
const REPEATS = 3;
/** Slightly below the limit of 1 MiB for a body. */
const BODY_CHARS = 1_000_000;

const fill = (start: string, item: string, end: string): string =>
  start +
  Array(Math.floor((BODY_CHARS - start.length - end.length) / (item.length + 1)))
    .fill(item)
    .join() +
  end;

const keysOfEscapes = (count: number): string =>
  Array.from({ length: count }, (_, index) => `"${'\\u0041'.repeat(10)}${index}":1`).join();

/** Bodies that are expensive to parse or to validate, sent to every endpoint. */
const BODIES: Readonly<Record<string, string>> = {
  'nested lists': '['.repeat(BODY_CHARS),
  'nested objects': '{"a":'.repeat(BODY_CHARS / 5),
  'one long text': `{"name":"${'x'.repeat(BODY_CHARS)}"}`,
  'escapes only': `{"name":"${'\\u0041'.repeat(BODY_CHARS / 6)}"}`,
  'a text that is not closed': `{"name":"${'\\n'.repeat(BODY_CHARS / 2)}`,
  'one long number': `{"amount":${'9'.repeat(BODY_CHARS)}}`,
  'unknown fields': `{${Array.from({ length: 80_000 }, (_, i) => `"k${i}":1`).join()}}`,
  'unknown fields, escaped': `{${Array.from({ length: 60_000 }, (_, i) => `"\\u006b${i}":1`).join()}}`,
  'keys of escapes': `{${keysOfEscapes(14_000)}}`,
  'keys of escapes, the last one twice': `{${keysOfEscapes(14_000)},"\\u0041":1,"A":2}`,
  'the same field': fill('{', '"amount":1', '}'),
  'empty objects': fill('[', '{}', ']'),
  scopes: fill('{"name":"k","scopes":[', '"read"', ']}'),
  'device ids': fill('{"name":"k","scopes":["read"],"device_ids":[', '"a"', ']}'),
  waypoints: fill('{"mission_name":"m","waypoints":[', '{"lat":1,"lng":1,"action":"scan"}', ']}'),
  geofence: fill('{"geofence":[', '{"lat":1,"lng":1}', ']}'),
  readings: fill('[', '{"ts":1,"weight":1}', ']'),
  'readings, all wrong': fill('[', '{"ts":"x","weight":[]}', ']'),
};

const ENDPOINTS: readonly (readonly ['POST' | 'PUT', string])[] = [
  ['POST', '/v1/keys'],
  ['POST', SILOS],
  ['POST', FIELD_DEVICES],
  ['POST', `${SILOS}/silo-0001/operations/feed`],
  ['POST', `${SILOS}/silo-0001/operations/discharge`],
  ['POST', `${SILOS}/silo-0001/telemetry`],
  ['PUT', `${SILOS}/silo-0001/config`],
  ['POST', `${FIELD_DEVICES}/rover/telemetry`],
  ['POST', `${FIELD_DEVICES}/rover/missions`],
  ['POST', `${FIELD_DEVICES}/rover/remote/command`],
  ['PUT', `${FIELD_DEVICES}/rover/config`],
  ['POST', '/sandbox/plants'],
];

/** Measures how long one body delays everything else: the slowest answer of `/livez` while the body is parsed and refused. */
export async function measureHostile(dataDir: string): Promise<Finding> {
  const service = await startServiceProcess({ GRANARY_DATA_DIR: dataDir, GRANARY_RATE_LIMIT: 'off' });
  const heldMs: number[] = [];
  let worst = { name: '', ms: 0 };
  try {
    await registerSilos(service, 1);
    const location = { facility: 'f', zone: 'z' };
    await ask(service, FIELD_DEVICES, { device_id: 'rover', name: 'r', model: 'm', location });
    for (const [method, path] of ENDPOINTS) {
      for (const [name, body] of Object.entries(BODIES)) {
        const rounds: number[] = [];
        for (let i = 0; i < REPEATS; i++) rounds.push(await heldBy(method, path, body));
        const ms = Math.min(...rounds);
        heldMs.push(ms);
        if (ms > worst.ms) worst = { name: `${name} to ${method} ${path}`, ms };
      }
    }
  } finally {
    await service.stop();
  }
  return {
    name: 'a hostile body under 1 MiB, longest hold of the service',
    target: `at most ${TARGET_MS} ms`,
    figure: `${worst.ms.toFixed(1)} ms`,
    met: worst.ms <= TARGET_MS,
    detail: `${heldMs.length} bodies, best of ${REPEATS} each; p50 ${percentile(heldMs, 0.5).toFixed(1)} ms; worst: ${worst.name}`,
  };

  async function heldBy(method: string, path: string, body: string): Promise<number> {
    const headers = { authorization: `Bearer ${service.adminKey.key}`, 'content-type': 'application/json' };
    let isAnswered = false;
    const answered = fetch(service.httpUrl + path, { method, headers, body }).then(async (response) => {
      await response.text();
      isAnswered = true;
      if (response.status < 400 || response.status >= 500) {
        throw new Error(`${method} ${path} answered ${response.status}`);
      }
    });
    let slowestMs = 0;
    while (!isAnswered) {
      const sentMs = performance.now();
      await (await fetch(`${service.httpUrl}/livez`)).text();
      slowestMs = Math.max(slowestMs, performance.now() - sentMs);
    }
    await answered;
    return slowestMs;
  }
}
