import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Farm, startSimulatedFarm } from '@granary/testing/client/simulated-farm';
import { type Client, createClient } from './client.ts';

const FOLDER = fileURLToPath(new URL('../../../examples/integrations/', import.meta.url));

interface Language {
  readonly title: string;
  readonly command: string;
  readonly programs: Readonly<Record<'levels' | 'alerts' | 'discharge', string>>;
  /** Each language has its own silos, so that no example sees the work of another one. */
  readonly silos: readonly [string, string, string];
}

const LANGUAGES: readonly Language[] = [
  {
    title: 'JavaScript',
    command: process.execPath,
    programs: { levels: 'levels-to-csv.mjs', alerts: 'react-to-alerts.mjs', discharge: 'discharge.mjs' },
    silos: ['silo-01', 'silo-02', 'alerting-js'],
  },
  {
    title: 'Python',
    command: 'python3',
    programs: { levels: 'levels_to_csv.py', alerts: 'react_to_alerts.py', discharge: 'discharge.py' },
    silos: ['silo-03', 'silo-04', 'alerting-py'],
  },
];

describe('the examples of integrations', () => {
  let farm: Farm | undefined;
  let folder = '';

  before(async () => {
    farm = await startSimulatedFarm();
    folder = await mkdtemp(join(tmpdir(), 'granary-examples-'));
  });
  after(async () => {
    await farm?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const client = (): Client => createClient({ baseUrl: farm?.url ?? '', apiKey: farm?.apiKey ?? '' });

  /** Starts an example; the result has everything that it has printed so far. */
  function run(t: TestContext, command: string, program: string, ...args: string[]) {
    const env = {
      PATH: process.env['PATH'],
      GRANARY_URL: farm?.url,
      GRANARY_API_KEY: farm?.apiKey,
      PYTHONDONTWRITEBYTECODE: '1',
      HOME: process.env['HOME'],
    };
    const child = spawn(command, [join(FOLDER, program), ...args], { cwd: folder, env });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        output += chunk;
      });
    }
    const exited = once(child, 'close').then(([code]) => code as number | null);
    t.after(async () => {
      child.kill('SIGKILL');
      await exited;
    });
    return {
      exited,
      output: () => output,
      interrupt: () => child.kill('SIGINT'),
      printed: async (pattern: RegExp) => {
        while (!pattern.test(output)) {
          assert.equal(child.exitCode, null, `ended without printing ${pattern}: ${output}`);
          await sleep(50);
        }
      },
    };
  }

  for (const { title, command, programs, silos } of LANGUAGES) {
    const [completed, interrupted, alerting] = silos;

    test(`${title}: the levels are in a CSV file`, async (t) => {
      const file = join(folder, `${title}.csv`);
      const program = run(t, command, programs.levels, file);
      assert.equal(await program.exited, 0, program.output());
      const [header, ...lines] = (await readFile(file, 'utf8')).trim().split('\r\n');
      assert.equal(header, 'device_id,name,level_percent,content_kg,quality,measured_at');
      const silo = lines.find((line) => line.startsWith('silo-05,'));
      assert.match(silo ?? '', /^silo-05,[^,]+,[\d.]+,[\d.]+,good,\d{4}-\d\d-\d\dT\S+Z$/);
    });

    test(`${title}: an alert is acknowledged, also one that was raised while the program did not run`, async (t) => {
      const file = join(folder, `${title}.txt`);
      const first = run(t, command, programs.alerts, file);
      await first.printed(/^connected$/m);
      await raiseAlert(client(), `${alerting}-1`);
      await first.printed(new RegExp(`alert on ${alerting}-1: `));
      await acknowledged(client(), `${alerting}-1`);
      while ((await readFile(file, 'utf8').catch(() => '')) === '') await sleep(50);
      first.interrupt();
      await first.exited;
      await raiseAlert(client(), `${alerting}-2`);
      const second = run(t, command, programs.alerts, file);
      await second.printed(new RegExp(`alert on ${alerting}-2: `));
      await acknowledged(client(), `${alerting}-2`);
      assert.doesNotMatch(second.output(), new RegExp(`${alerting}-1`));
    });

    test(`${title}: a discharge is followed to its end`, async (t) => {
      const program = run(t, command, programs.discharge, completed, '5', 'truck 12');
      assert.equal(await program.exited, 0, program.output());
      assert.match(program.output(), /started op_\S+; Ctrl-C stops it\n(.*\n)*completed: /);
    });

    test(`${title}: Ctrl-C stops a discharge`, async (t) => {
      const program = run(t, command, programs.discharge, interrupted, '400', 'truck 12');
      await program.printed(/in_progress: /);
      program.interrupt();
      assert.equal(await program.exited, 1, program.output());
      assert.match(program.output(), /stop accepted: stopp(ing|ed)\n(.*\n)*stopped: /);
      const { data } = await client().operations.list(interrupted);
      assert.deepEqual(
        data.map(({ status }) => status),
        ['stopped'],
      );
    });

    test(`${title}: a refusal is explained`, async (t) => {
      const program = run(t, command, programs.discharge, 'no-such-silo', '5', 'truck 12');
      assert.equal(await program.exited, 1);
      assert.match(program.output(), /refused: .*\(device_not_found\)/);
    });
  }
});

/** Registers a silo whose weight is below its low level, but not below its critical one, so that there is one alert. */
async function raiseAlert(client: Client, deviceId: string): Promise<void> {
  const place = { location: { facility: 'north', zone: 'a' }, capacity: { max: 1_000, unit: 'kg' as const } };
  await client.devices.silo.register({ device_id: deviceId, name: deviceId, model: 'GS-100', ...place });
  await client.telemetry.send('silo', deviceId, { ts: Date.now(), weight: 150 });
}

async function acknowledged(client: Client, deviceId: string): Promise<void> {
  for (;;) {
    const { data } = await client.alerts.silo.list(deviceId, { status: 'acknowledged' });
    if (data.length > 0) return;
    await sleep(100);
  }
}
