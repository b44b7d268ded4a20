import { rmSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { atExit } from '../tools/at-exit.ts';
import { measureAlerts } from './bench/case-alerts.ts';
import { measureConnections } from './bench/case-connections.ts';
import { measureConsole } from './bench/case-console.ts';
import { measureDisk } from './bench/case-disk.ts';
import { measureExport } from './bench/case-export.ts';
import { measureFleet } from './bench/case-fleet.ts';
import { measureHostile } from './bench/case-hostile.ts';
import { measureHostileDevice } from './bench/case-hostile-device.ts';
import { measureHttpIngest } from './bench/case-http-ingest.ts';
import { measureIngest } from './bench/case-ingest.ts';
import { measureLongHistory } from './bench/case-long-history.ts';
import { measureMosquitto } from './bench/case-mosquitto.ts';
import { measureNodes } from './bench/case-nodes.ts';
import { measureOverload } from './bench/case-overload.ts';
import { measurePostgres } from './bench/case-postgres.ts';
import { measureReads } from './bench/case-reads.ts';
import { measureSensors } from './bench/case-sensors.ts';
import { measureStarts } from './bench/case-starts.ts';
import { measureStop } from './bench/case-stop.ts';
import { measureStopsBesideLoad } from './bench/case-stops-beside-load.ts';
import { measureStream } from './bench/case-stream.ts';
import { asMarkdown, type Finding, type Measured, machine } from './bench/report.ts';
import { asPercent, leastDisturbed, processorTime, stolenSince } from './bench/stolen-time.ts';

const CASES: Readonly<Record<string, (dataDir: string) => Promise<Finding | Finding[]>>> = {
  reads: measureReads,
  ingest: measureIngest,
  mosquitto: measureMosquitto,
  'http-ingest': measureHttpIngest,
  connections: measureConnections,
  sensors: measureSensors,
  'long-history': measureLongHistory,
  export: measureExport,
  disk: measureDisk,
  fleet: measureFleet,
  console: measureConsole,
  stop: measureStop,
  'stops-beside-load': measureStopsBesideLoad,
  starts: measureStarts,
  overload: measureOverload,
  postgres: measurePostgres,
  nodes: measureNodes,
  alerts: measureAlerts,
  stream: measureStream,
  hostile: measureHostile,
  'hostile-device': measureHostileDevice,
};

const HELP = `npm run bench                 measure everything and print it
npm run bench -- reads        measure only: ${Object.keys(CASES).join(', ')}
npm run bench -- --save       also write docs/benchmarks.md (everything only)

Everything stays on this machine's loopback address and stops by itself.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { save: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
});
// What the measurement has started ends with this process, also when it is interrupted.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => process.exit(128 + constants.signals[signal]));

const unknown = positionals.filter((name) => !(name in CASES));
if (values.help) console.log(HELP);
else if (unknown.length > 0 || (values.save && positionals.length > 0)) {
  console.error(unknown.length > 0 ? `there is no case ${unknown.join(', ')}\n${HELP}` : HELP);
  process.exitCode = 2;
} else await measure(positionals, values.save === true);

async function measure(names: readonly string[], save: boolean): Promise<void> {
  console.log(machine());
  const atStart = await processorTime();
  const findings: Measured[] = [];
  for (const [name, run] of Object.entries(CASES)) {
    if (names.length > 0 && !names.includes(name)) continue;
    console.log(`\n${name} …`);
    const { result, stolen } = await leastDisturbed(() => inFolder(run).catch(failed(name)));
    for (const finding of [result].flat()) {
      findings.push({ ...finding, stolen: asPercent(stolen) });
      const { figure, target, met, detail } = finding;
      console.log(
        `${met ? 'met   ' : 'MISSED'} ${finding.name}\n       ${figure} (target: ${target}; ${detail})`,
      );
    }
  }
  const stolen = asPercent(await stolenSince(atStart));
  console.log(`\nprocessor time that the host of this machine took away: ${stolen}`);
  if (!save) return;
  const date = new Date().toISOString().slice(0, 10);
  await writeFile(new URL('../docs/benchmarks.md', import.meta.url), asMarkdown(findings, { date, stolen }));
}

async function inFolder<Result>(run: (dataDir: string) => Promise<Result>): Promise<Result> {
  const dataDir = await mkdtemp(join(tmpdir(), 'granary-bench-'));
  const forget = atExit(() => rmSync(dataDir, { recursive: true, force: true }));
  try {
    return await run(dataDir);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
    forget();
  }
}

/** A case that fails does not take the figures of the others with it. */
function failed(name: string): (error: unknown) => Finding {
  return (error) => {
    console.error(error);
    process.exitCode = 1;
    const reason = error instanceof Error ? error.message : String(error);
    return { name: `\`${name}\``, target: 'figures', figure: 'failed', met: false, detail: reason };
  };
}
