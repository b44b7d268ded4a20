import { spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { MINUTE_MS } from '@granary/contract/time';
import { asPercent, processorTime, stolenSince } from './bench/stolen-time.ts';
import { ensureProgram, FAKETIME, MOSQUITTO } from './outside-programs.ts';
import { FAULTS } from './soak/faults.ts';
import { readOptions, type SoakOptions } from './soak/options.ts';
import { asMarkdown, table, totals } from './soak/report.ts';
import { NODES } from './soak/site.ts';
import { soak } from './soak/soak-run.ts';
import { describeStalls, StallRecorder } from './soak/stalls.ts';
import { slowest, violations } from './soak/verdict.ts';

/** Returns the exit code. */
async function main({ minutes, devices, faults: names, save, logFolder }: SoakOptions): Promise<number> {
  for (const program of [MOSQUITTO, FAKETIME]) await ensureProgram(program);
  const faults = FAULTS.filter(({ name }) => names.includes(name));
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => interrupted.abort());
  if (logFolder !== null) await mkdir(logFolder, { recursive: true });
  const atStart = await processorTime();
  const recorder = new StallRecorder();
  const { outcome, postgres } = await soak({
    durationMs: minutes * MINUTE_MS,
    devices,
    faults,
    logFolder,
    interruption: interrupted.signal,
    progress: (line) => console.log(`${new Date().toISOString().slice(11, 19)} ${line}`),
  });
  for (const phase of outcome.phases) {
    console.log(`\nslowest, ${phase.fault?.name ?? 'no fault'}:\n  ${slowest(phase).join('\n  ')}`);
  }
  const stolen = asPercent(await stolenSince(atStart));
  const stalls = describeStalls(recorder.stalls);
  await recorder.stop();
  console.log(
    `\n${totals(outcome)}\n\n${table(outcome)}\n\nprocessor time that the host took away: ${stolen}\n${stalls}`,
  );
  const found = violations(outcome);
  console.log(found.length === 0 ? '\nevery criterion was met' : `\nNOT MET\n${found.join('\n')}`);
  if (save) {
    const date = new Date().toISOString().slice(0, 10);
    const engines = { postgres, mosquitto: mosquittoVersion() };
    const facts = { date, minutes, devices, nodes: NODES, ...engines, stolen, stalls, faults };
    await writeFile(new URL('../docs/soak.md', import.meta.url), asMarkdown(outcome, facts));
  }
  return found.length === 0 ? 0 : 1;
}

function mosquittoVersion(): string {
  const { stdout } = spawnSync('mosquitto', ['-h'], { encoding: 'utf8' });
  return /version (\S+)/.exec(stdout)?.[1] ?? 'of unknown version';
}

const options = readOptions(
  process.argv.slice(2),
  FAULTS.map(({ name }) => name),
);
if ('text' in options) {
  (options.exitCode === 0 ? console.log : console.error)(options.text);
  process.exitCode = options.exitCode;
} else process.exitCode = await main(options);
