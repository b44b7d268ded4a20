import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { faultsOfSentence, sentencesIn } from '@granary/testing/contract/sentences';
import { type ServiceProcess, startServiceProcess } from '@granary/testing/server/service-process';
import { RECORDED_ANSWERS, tourAnswers } from '@granary/testing/server/tour/tour';
import type { TourStep } from '@granary/testing/server/tour/tour-client';

/** True: the answers are recorded anew instead of compared; the change then has to be read in the diff. */
const IS_RECORDING = process.env['GRANARY_RECORD_TOUR'] === '1';

let folder = '';
let service: ServiceProcess | undefined;
after(async () => {
  await service?.stop();
  await rm(folder, { recursive: true, force: true });
});

test('every endpoint answers as recorded, except for ids and times', async () => {
  folder = await mkdtemp(join(tmpdir(), 'granary-tour-'));
  service = await startServiceProcess({
    GRANARY_DATA_DIR: folder,
    GRANARY_RATE_LIMIT: 'off',
    // Nobody listens there, so nothing is sent.
    GRANARY_SMTP_URL: 'smtp://127.0.0.1:9',
    GRANARY_MAIL_FROM: 'granary@example.com',
  });
  const { httpUrl, mqttUrl, adminKey } = service;
  const steps = await tourAnswers({ httpUrl, mqttUrl, adminKey: adminKey.key });
  const lines = steps.map((step) => JSON.stringify(step));
  if (IS_RECORDING) await writeFile(RECORDED_ANSWERS, `${lines.join('\n')}\n`);
  const recorded = (await readFile(RECORDED_ANSWERS, 'utf8')).trimEnd().split('\n');
  for (const [index, line] of lines.entries()) {
    const expected: TourStep = JSON.parse(recorded[index] ?? 'null');
    assert.deepEqual(JSON.parse(line), expected, `step ${index + 1}`);
  }
  assert.equal(lines.length, recorded.length);
});

test('no sentence of a recorded answer has an internal id or a code name', async () => {
  const recorded = (await readFile(RECORDED_ANSWERS, 'utf8')).trimEnd().split('\n');
  const sentences = recorded.flatMap((line) => sentencesIn(JSON.parse(line)));
  assert.ok(sentences.length > 100, String(sentences.length));
  assert.deepEqual([...new Set(sentences)].flatMap(faultsOfSentence), []);
});
