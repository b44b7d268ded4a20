import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { openApp } from '@granary/app/app';
import { DAY_MS, HOUR_MS, MINUTE_MS, toIso } from '@granary/contract/time';
import { describePostgres, WITHOUT_SCHEMA } from '@granary/testing/app/engines';
import { batchOf, reading, registerDevice } from '@granary/testing/app/fixtures';
import { EventReader, type ReadEvent } from '@granary/testing/server/event-reader';
import { type Api, siloNamed, withService } from '@granary/testing/server/service';
import { tourAnswers } from '@granary/testing/server/tour/tour';
import { FIELD, ROVER, SILO, SILOS } from '@granary/testing/server/tour/tour-client';
import { openMove } from '../process/open-store.ts';

const OLD_SILO = 'silo-with-a-history';
const READINGS = 8_000;
const PART = 1_000;
const SPACING_MS = 2 * MINUTE_MS;

/** The clock stands still while the answers are compared, because they contain ages and values that follow from them. */
const ASKED_MS = Date.now() + HOUR_MS;
const RANGE = `from=${toIso(ASKED_MS - 20 * DAY_MS)}&to=${toIso(ASKED_MS)}`;

const ofDevice = (path: string): string[] =>
  ['', '/config', '/config/versions', '/rejections', '/alerts?status=all'].map((part) => path + part);
const histories = (path: string, sensor: string): string[] =>
  ['5m', '1h', '1d'].map(
    (interval) => `${path}/sensors/history?sensor=${sensor}&interval=${interval}&${RANGE}`,
  );

const PATHS: readonly string[] = [
  'devices',
  'devices?removed=true',
  'alerts?status=all',
  'operations',
  'missions',
  'commands',
  'overview',
  'audit?limit=100',
  'keys',
  'webhooks',
  'notification-rules',
  'notifications',
  'export',
  `readings?${RANGE}`,
  `readings?${RANGE}&format=ndjson`,
  `history?interval=1h&${RANGE}`,
  `history?profile=silo_scale&interval=1d&tz=Europe/Berlin&unit=kg&format=ndjson&${RANGE}`,
].map((path) => `/v1/${path}`);

const ALL_PATHS: readonly string[] = [
  ...PATHS,
  '/sandbox/plants',
  SILOS,
  FIELD,
  `${SILO}/sensors`,
  `${SILO}/operations`,
  `${SILOS}/${OLD_SILO}/sensors`,
  ...[SILO, ROVER, `${SILOS}/${OLD_SILO}`].flatMap(ofDevice),
  ...histories(SILO, 'level'),
  ...histories(`${SILOS}/${OLD_SILO}`, 'temperature'),
  ...histories(ROVER, 'soil_moisture'),
  ...['/location', '/sensors/environmental', `/track?${RANGE}`, '/remote/commands', '/missions'].map(
    (part) => ROVER + part,
  ),
];

/** The text of every answer without the id of its request. The answers are not checked against the contract, because other tests do that. */
async function answersOf({ started, authorization }: Api): Promise<Map<string, string>> {
  const answers = new Map<string, string>();
  for (const path of ALL_PATHS) {
    const { status, headers, ...response } = await ask(started.httpUrl + path, authorization);
    assert.equal(status, 200, `${path}: ${response.text}`);
    const shown = response.text.replaceAll(/"request_id":"[^"]+"/g, '');
    answers.set(path, `${headers.get('etag')} ${headers.get('content-type')}\n${shown}`);
  }
  return answers;
}

async function ask(url: string, authorization: Api['authorization']) {
  const response = await fetch(url, { headers: authorization });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** The answers when the work that follows a start is done. */
async function settledAnswers(api: Api): Promise<Map<string, string>> {
  for (let answers = await answersOf(api); ; ) {
    const again = await answersOf(api);
    if ([...again].every(([path, text]) => answers.get(path) === text)) return again;
    answers = again;
  }
}

async function eventsOf(api: Api, lastEventId: number, count: number): Promise<ReadEvent[]> {
  const reader = await EventReader.open(api, { lastEventId });
  try {
    return await reader.take(count);
  } finally {
    reader.close();
  }
}

/** Adds readings of two weeks, of which the old ones are compressed. */
async function addHistory(folder: string): Promise<void> {
  const app = await openApp({ engine: 'sqlite', folder });
  const deviceNo = await registerDevice(app, { deviceId: OLD_SILO });
  const startMs = ASKED_MS - 2 * HOUR_MS - READINGS * SPACING_MS;
  for (let from = 0; from < READINGS; from += PART) {
    const readings = Array.from({ length: PART }, (_, n) =>
      reading(deviceNo, startMs + (from + n) * SPACING_MS, {
        weight: (from + n) * 7,
        temperature: 15_000 + ((from + n) % 500),
        humidity: n,
      }),
    );
    await app.telemetry.append(batchOf({ readings }));
  }
  for (let nextMs: number | null = 0; nextMs !== null; ) {
    ({ nextMs } = await app.telemetry.compress({ beforeMs: ASKED_MS - 2 * DAY_MS }));
  }
  await app.close();
}

describePostgres(
  'a service whose store was moved to PostgreSQL',
  (engine) => {
    let dataDir = '';
    before(async () => {
      dataDir = await mkdtemp(join(tmpdir(), 'granary-moved-'));
    });
    after(() => rm(dataDir, { recursive: true, force: true }));

    /** Runs a service. No mail server listens, so nothing is sent. */
    const onService = <T>(
      databaseUrl: string,
      now: () => number,
      work: (api: Api) => Promise<T>,
    ): Promise<T> =>
      withService(
        {
          GRANARY_DATA_DIR: dataDir,
          GRANARY_DATABASE_URL: databaseUrl,
          GRANARY_SMTP_URL: 'smtp://127.0.0.1:9',
          GRANARY_MAIL_FROM: 'granary@example.com',
        },
        { now },
        work,
      );

    const lastEvent = (): number => {
      const database = new DatabaseSync(join(dataDir, 'granary.db'), { readOnly: true });
      const row = database.prepare('SELECT last_sequence FROM event_counter').get();
      database.close();
      return Number(row?.['last_sequence']);
    };

    test('answers the same to the byte, and its events go on with the same ids', async () => {
      await onService('', Date.now, async ({ started: { httpUrl, mqttUrl, adminKey } }) => {
        await tourAnswers({ httpUrl, mqttUrl, adminKey: adminKey.key });
      });
      await addHistory(dataDir);
      const asked = () => ASKED_MS;
      const [answers, firstEvents] = await onService('', asked, async (api) => {
        const settled = await settledAnswers(api);
        return [settled, await eventsOf(api, 0, lastEvent())] as const;
      });
      const last = lastEvent();
      assert.ok(last >= firstEvents.length && firstEvents.length > 50);

      if (engine.location.engine !== 'postgres') throw new Error('a store moves to PostgreSQL only');
      const { url: databaseUrl } = engine.location;
      const move = await openMove({ dataDir, databaseUrl }, { isDryRun: false });
      const moved = new Map((await move.run()).map(({ name, rows }) => [name, rows]));
      await move.close();
      assert.ok((moved.get('reading_chunks') ?? 0) > 2);
      assert.ok((moved.get('readings') ?? 0) > 1_000);

      await onService(databaseUrl, asked, async (api) => {
        const answersNow = await settledAnswers(api);
        for (const [path, text] of answers) assert.equal(answersNow.get(path), text, path);
        assert.deepEqual(await eventsOf(api, 0, firstEvents.length), firstEvents);
        await api.post(SILOS, siloNamed('silo-after-the-move'));
        const [next] = await eventsOf(api, last, 1);
        assert.equal(next?.id, last + 1);
        assert.equal(next?.data.type, 'device.registered');
      });
    });
  },
  WITHOUT_SCHEMA,
);
