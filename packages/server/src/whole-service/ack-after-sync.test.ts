import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { topicOf } from '@granary/contract/link/messages';
import { hasProgram, mayTestWith } from '@granary/testing/link/outside-clients';
import { siloNamed } from '@granary/testing/server/service';
import { startServiceProcess } from '@granary/testing/server/service-process';
import { traceSystemCalls } from '@granary/testing/server/system-calls';
import { connectAsync } from 'mqtt';

/** The weight is stored in grams as a whole number, seven bits in a byte; these bytes occur nowhere else. */
const WEIGHT_KG = 0xfe_dc_ba / 1_000;
const WEIGHT_BYTES = '\\xba\\xb9\\xfb\\x07';
/** The first bytes of a PUBACK: its type and its length. */
const PUBACK = '"\\x40\\x02';

test('the acknowledgement of a reading is written after its log is synchronised', async (t) => {
  if (!mayTestWith(t, 'strace', hasProgram('strace'))) return;
  const folder = await mkdtemp(join(tmpdir(), 'granary-strace-'));
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 20 }));
  const service = await startServiceProcess({ GRANARY_DATA_DIR: join(folder, 'data') });
  t.after(() => service.kill());
  const secret = await register(service, 'traced');
  const login = { clientId: 'traced', username: 'traced', password: secret };
  const device = await connectAsync(service.mqttUrl, login);
  t.after(() => device.endAsync(true));

  const file = join(folder, 'calls');
  const trace = await traceSystemCalls(service.pid, file);
  if (trace === null) {
    t.diagnostic('NOT TESTED with strace: this system does not permit to trace a process');
    return;
  }
  const reading = JSON.stringify({ ts: Date.now(), weight: WEIGHT_KG });
  await device.publishAsync(topicOf('traced', 'telemetry'), reading, { qos: 1 });
  await trace.stop();

  const calls = (await readFile(file, 'utf8')).split('\n');
  const written = calls.findIndex((call) => isOfLog(call) && call.includes(WEIGHT_BYTES));
  assert.notEqual(written, -1, 'the reading is written to the log');
  const synchronised = calls.findIndex((call, index) => index > written && endsSync(call, calls, index));
  const acknowledged = calls.findIndex((call) => call.includes(PUBACK));
  assert.notEqual(synchronised, -1, 'the log is synchronised after it');
  assert.notEqual(acknowledged, -1, 'the acknowledgement is written');
  assert.ok(acknowledged > synchronised, 'the acknowledgement comes last');
});

/** The trace shows the file name in hexadecimal form, as all texts. */
const LOG_ENDING = [...Buffer.from('-wal')].map((byte) => `\\x${byte.toString(16)}`).join('');

const isOfLog = (call: string): boolean => call.includes(`${LOG_ENDING}>`) || call.includes('-wal>');

/** A call during which another thread was shown has two lines: one for its start and one for its end. */
function endsSync(call: string, calls: readonly string[], index: number): boolean {
  if (/ f(?:data)?sync\(/.test(call)) return isOfLog(call) && / = 0$/.test(call);
  if (!/<\.\.\. f(?:data)?sync resumed>.* = 0$/.test(call)) return false;
  const thread = call.split(' ')[0] ?? '';
  const start = calls.findLastIndex(
    (other, at) => at < index && other.startsWith(`${thread} `) && / f(?:data)?sync\(/.test(other),
  );
  return isOfLog(calls[start] ?? '');
}

async function register(
  { httpUrl, adminKey }: { httpUrl: string; adminKey: { key: string } },
  deviceId: string,
): Promise<string> {
  const response = await fetch(`${httpUrl}/v1/siloscale/devices`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminKey.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(siloNamed(deviceId)),
  });
  assert.equal(response.status, 200);
  const { data } = (await response.json()) as { data: { credentials: { secret: string } } };
  return data.credentials.secret;
}
