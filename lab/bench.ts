import { rmSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { atExit } from '../tools/at-exit.ts';
import { measureAlerts } from './bench/case-alerts.ts';
import { measureBridge } from './bench/case-bridge.ts';
import { measureBridgeMessages } from './bench/case-bridge-messages.ts';
import { measureBridgeSessions, measureMessageSessions } from './bench/case-bridge-service.ts';
import { measureConnections } from './bench/case-connections.ts';
import { measureConsole } from './bench/case-console.ts';
import { measureDay } from './bench/case-day.ts';
import { measureDisk } from './bench/case-disk.ts';
import { measureFleet } from './bench/case-fleet.ts';
import { measureForesight } from './bench/case-foresight.ts';
import { measureGrants } from './bench/case-grants.ts';
import { measureHistoryDisk } from './bench/case-history-disk.ts';
import { measureHostile } from './bench/case-hostile.ts';
import { measureHostileDevice } from './bench/case-hostile-device.ts';
import { measureHttpIngest } from './bench/case-http-ingest.ts';
import {
  measureIngest,
  measureIngestAgainstSqlite,
  measureMosquitto,
  measureSensors,
} from './bench/case-ingest.ts';
import { measureLongHistory } from './bench/case-long-history.ts';
import { measureNodes } from './bench/case-nodes.ts';
import { measureOverload } from './bench/case-overload.ts';
import { measurePeople } from './bench/case-people.ts';
import { measureReads } from './bench/case-reads.ts';
import { measureStarts } from './bench/case-starts.ts';
import { measureStopsBesideLoad } from './bench/case-stops-beside-load.ts';
import { measureStored } from './bench/case-stored.ts';
import { measureStream } from './bench/case-stream.ts';
import { type Finding, type Measured, machine, measuredNow, withFindings } from './bench/report.ts';
import { onPostgres } from './bench/service-process.ts';
import { asPercent, leastDisturbed, processorTime, stolenSince } from './bench/stolen-time.ts';

type Cases = Readonly<Record<string, (dataDir: string) => Promise<Finding | Finding[]>>>;

/** The cases in the order of the report. */
const ALL_CASES: Cases = {
  reads: (dataDir) => measureReads(dataDir),
  'reads-postgres': onPostgres(measureReads),
  ingest: measureIngest,
  'ingest-postgres': onPostgres(measureIngestAgainstSqlite),
  mosquitto: measureMosquitto,
  'http-ingest': measureHttpIngest,
  connections: measureConnections,
  bridge: measureBridge,
  sensors: measureSensors,
  'bridge-messages': () => measureBridgeMessages(),
  'bridge-sessions': measureBridgeSessions,
  'message-sessions': measureMessageSessions,
  'long-history': measureLongHistory,
  day: measureDay,
  disk: measureDisk,
  'history-disk': (dataDir) => measureHistoryDisk(dataDir),
  'history-disk-postgres': onPostgres(measureHistoryDisk),
  fleet: measureFleet,
  grants: (dataDir) => measureGrants(dataDir),
  'grants-postgres': onPostgres(measureGrants),
  foresight: (dataDir) => measureForesight(dataDir),
  'foresight-postgres': onPostgres(measureForesight),
  console: measureConsole,
  alerts: measureAlerts,
  stream: measureStream,
  starts: (dataDir) => measureStarts(dataDir),
  'starts-postgres': onPostgres(measureStarts),
  overload: (dataDir) => measureOverload(dataDir),
  'overload-postgres': onPostgres(measureOverload),
  'stops-beside-load': (dataDir) => measureStopsBesideLoad(dataDir),
  'stops-beside-load-postgres': onPostgres(measureStopsBesideLoad),
  stored: (dataDir) => measureStored(dataDir),
  'stored-postgres': onPostgres(measureStored),
  people: (dataDir) => measurePeople(dataDir),
  'people-postgres': onPostgres(measurePeople),
  nodes: measureNodes,
  hostile: measureHostile,
  'hostile-device': measureHostileDevice,
};

/** Cases that are only measured if they are named or saved: they need foreign programs, or their figures change seldom. */
const ON_REQUEST = [
  'mosquitto',
  'bridge-sessions',
  'message-sessions',
  'http-ingest',
  'nodes',
  'console',
  'day',
  'disk',
  'foresight',
  'foresight-postgres',
];

const DEFAULT_CASES = Object.keys(ALL_CASES).filter((name) => !ON_REQUEST.includes(name));

const HELP = `npm run bench                 measure ${DEFAULT_CASES.join(', ')}
npm run bench -- starts       measure only these, on each database: starts, starts-postgres
npm run bench -- postgres     measure all that use PostgreSQL
npm run bench -- nodes        only on request: ${ON_REQUEST.join(', ')}
npm run bench -- --save       measure everything, also what is only on request, and write docs/benchmarks.md
npm run bench -- --save nodes the same, but write only these rows

Everything stays on this machine's loopback address and stops by itself.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { save: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
});
// Programs that the measurement has started end with this process, even if it is interrupted.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => process.exit(128 + constants.signals[signal]));

/** A name selects the case, the same case on another database, or all cases of one database. */
const isNamed = (name: string) => (chosen: string) =>
  name === chosen || name === `${chosen}-postgres` || (chosen === 'postgres' && name.endsWith('-postgres'));
const unknown = positionals.filter((chosen) => !Object.keys(ALL_CASES).some((name) => isNamed(name)(chosen)));
if (values.help) console.log(HELP);
else if (unknown.length > 0) {
  console.error(`there is no case ${unknown.join(', ')}\n${HELP}`);
  process.exitCode = 2;
} else await measure(selected(), values.save === true);

function selected(): [name: string, run: Cases[string]][] {
  const isChosen = (name: string): boolean =>
    positionals.length === 0
      ? values.save === true || DEFAULT_CASES.includes(name)
      : positionals.some(isNamed(name));
  return Object.entries(ALL_CASES).filter(([name]) => isChosen(name));
}

async function measure(cases: [string, Cases[string]][], save: boolean): Promise<void> {
  console.log(machine());
  const atStart = await processorTime();
  const findings: Measured[] = [];
  for (const [name, run] of cases) {
    console.log(`\n${name} …`);
    const { result, stolen } = await leastDisturbed(() => inFolder(run).catch(failed(name)));
    for (const finding of [result].flat()) {
      findings.push({ ...finding, measured: measuredNow(), stolen: asPercent(stolen) });
      const { figure, target, met, detail } = finding;
      console.log(
        `${met ? 'met   ' : 'MISSED'} ${finding.name}\n       ${figure} (target: ${target}; ${detail})`,
      );
    }
  }
  const stolen = asPercent(await stolenSince(atStart));
  console.log(`\nprocessor time that the host of this machine took away: ${stolen}`);
  if (!save) return;
  const page = new URL('../docs/benchmarks.md', import.meta.url);
  await writeFile(page, withFindings(await readFile(page, 'utf8'), findings, positionals.length === 0));
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

/** A case that fails gives a line of its own, so that the figures of the others are kept. */
function failed(name: string): (error: unknown) => Finding {
  return (error) => {
    console.error(error);
    process.exitCode = 1;
    const reason = error instanceof Error ? error.message : String(error);
    return { name: `\`${name}\``, target: 'figures', figure: 'failed', met: false, detail: reason };
  };
}
