import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Client, createClient } from '@granary/client';
import { type RunningFarm, startFarm } from '@granary/testing/cli/farm';
import { runInProcess } from '@granary/testing/cli/in-process';
import { COMMANDS } from './commands.ts';

const DOCUMENT = new URL('../../../docs/cli.md', import.meta.url);
const TEXT = readFileSync(DOCUMENT, 'utf8');
const EXAMPLES = [...TEXT.matchAll(/^granary (.*)$/gm)].map(([, line = '']) => line);

/**
 * Commands that do not end by themselves, or that need a stopped service or other devices. service.test.ts, backup.test.ts,
 * migrate.test.ts and the tests of the bridge run them.
 */
const LEFT_OUT = /^(up|serve|simulate|remove-demo|restore|migrate|bridge|mcp)\b/;
/** The exit codes of examples that ask a person, and of one whose receiver does not exist. */
const EXIT_CODES: Readonly<Record<string, number>> = {
  'discharge silo-01 50 --to cart': 5,
  'release rover-01': 5,
  'webhooks test wh_019a': 1,
  'operations declare-ended silo-01 op_019a86c5f3c0 --reason "the controller was replaced" --looked-by Ada': 5,
};
/** The names that the examples use for things that an earlier one has created, by the beginning of their id. */
const CREATED_IN_EXAMPLES: Readonly<Record<string, string>> = {
  ke: 'key_0f3c',
  wh: 'wh_019a',
  nr: 'nr_019a',
  nt: 'nt_019a',
  ho: 'ho_019a',
};
/** The input or event that ends an example. */
const ENDINGS: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^device watch/, ['--count', '1']],
  [/^events tail/, ['--after', '0', '--count', '1']],
  [/^feed/, ['--detach']],
];

const wordsOf = (line: string): string[] =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');

test('docs/cli.md has every command, and the help has every option of its examples', async () => {
  for (const { name } of COMMANDS) assert.match(TEXT, new RegExp(`granary ${name}\\b`));
  assert.ok(EXAMPLES.length > COMMANDS.length);
  for (const line of EXAMPLES) {
    const { exitCode, stdout } = await runInProcess([...wordsOf(line.replace(/ > .*$/, '')), '--help']);
    assert.equal(exitCode, 0, line);
    for (const [option] of line.matchAll(/ --[a-z-]+/g)) {
      assert.ok(stdout.includes(option.trim()), `${line}: ${option} is not in the help`);
    }
  }
});

test('the examples of docs/cli.md run against a farm, in their order', async (t) => {
  const farm = await startFarm(t);
  const folder = mkdtempSync(join(tmpdir(), 'granary-examples-'));
  const start = process.cwd();
  process.chdir(folder);
  writeFileSync(
    'devices.csv',
    'device_id,profile,name,model,facility,zone\nrover-20,rover,Rover 20,FR-7,North,field\n',
  );
  t.after(() => {
    process.chdir(start);
    rmSync(folder, { recursive: true, force: true });
  });
  const apiKey = farm.access['GRANARY_API_KEY'] ?? '';
  const env = { ...farm.access, ...farm.settings, XDG_CONFIG_HOME: folder };
  /** The names in the examples, and what they stand for here. */
  const names = new Map([
    ['https://granary.example', farm.access['GRANARY_URL'] ?? ''],
    ['https://example.com', 'https://granary.invalid'],
    ['/mnt/backups', folder],
    ['al_019a86c5f3c07b2a', await raisedAlert(farm)],
    ['ms_019a86c5f3c07b2a', await startedMission(farm, 'rover-02')],
  ]);

  for (const line of EXAMPLES.filter((one) => !LEFT_OUT.test(one))) {
    await t.test(line, async () => {
      const [typed = '', file] = line.split(' > ');
      const ending = ENDINGS.find(([pattern]) => pattern.test(line))?.[1] ?? [];
      const real = [...names].reduce(
        (text, [name, value]) => text.replaceAll(name, value),
        await withPlace(farm, typed),
      );
      const { exitCode, stdout, stderr } = await runInProcess([...wordsOf(real), ...ending], env, {
        readInput: async () => apiKey,
      });
      assert.equal(exitCode, EXIT_CODES[line] ?? 0, stdout + stderr);
      if (file !== undefined) writeFileSync(file, stdout);
      const created = /\b(key|wh|nr|nt|ho)_\w+/.exec(stdout)?.[0];
      if (
        created !== undefined &&
        /^(keys create|webhooks add|notification-rules add|note add|handover write)/.test(line)
      ) {
        names.set(CREATED_IN_EXAMPLES[created.slice(0, 2)] ?? '', created);
      }
    });
  }
});

async function raisedAlert(farm: RunningFarm): Promise<string> {
  await farm.run(['device', 'edit', 'silo-02', '--capacity', '100000']);
  for (;;) {
    const [alert] = await farm.json<{ alert_id: string }[]>('alerts', '--device', 'silo-02');
    if (alert !== undefined) return alert.alert_id;
  }
}

const clientOf = ({ access }: RunningFarm): Client =>
  createClient({ baseUrl: access['GRANARY_URL'] ?? '', apiKey: access['GRANARY_API_KEY'] ?? '' });

async function placeOf(client: Client, deviceId: string): Promise<{ lat: number; lng: number }> {
  const { coordinates, battery_level } = await client.fieldReadings.location(deviceId);
  const { latitude: lat, longitude: lng } = coordinates;
  return lat === null || lng === null || battery_level === null
    ? await placeOf(client, deviceId)
    : { lat, lng };
}

/** Replaces the place in an example by that of the device, because others may be out of its reach. */
async function withPlace(farm: RunningFarm, line: string): Promise<string> {
  const deviceId = /\b(?:rover|drone)-\d+/.exec(line)?.[0];
  if (deviceId === undefined || !line.includes('48.2001')) return line;
  const { lat, lng } = await placeOf(clientOf(farm), deviceId);
  return line.replace(/48\.2001([ ,])16\.3/, `${lat}$1${lng}`);
}

/** Starts a mission that waits at the place of the device. */
async function startedMission(farm: RunningFarm, deviceId: string): Promise<string> {
  const client = clientOf(farm);
  const waypoints = [{ ...(await placeOf(client, deviceId)), action: 'wait' as const, wait_seconds: 600 }];
  const { mission_id: id } = await client.missions.create(deviceId, { mission_name: 'Wait', waypoints });
  while ((await client.missions.get(deviceId, id)).status !== 'in_progress');
  return id;
}
