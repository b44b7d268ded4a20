import { machine, whole } from '../bench/report.ts';
import type { Fault } from './faults.ts';
import {
  type Outcome,
  type Phase,
  RECOVERY_MS_MAX,
  REQUEST_MS_MAX,
  STOP_DURING_FAULT_MS_MAX,
  STOP_MS_MAX,
  violations,
  worstRequestMs,
  worstStopMs,
} from './verdict.ts';

export interface RunFacts {
  readonly date: string;
  readonly minutes: number;
  readonly devices: number;
  readonly nodes: number;
  readonly postgres: string;
  readonly mosquitto: string;
  /** The share of the processor time that the host took away. */
  readonly stolen: string;
  /** One sentence about the stalls of the machine. */
  readonly stalls: string;
  readonly faults: readonly Fault[];
}

const shownMs = (ms: number): string => (Number.isFinite(ms) ? `${whole(ms)} ms` : 'never');

const countOf = ({ requests }: Phase, outcome: Phase['requests'][number]['outcome']): number =>
  requests.filter((request) => request.outcome === outcome).length;

function rowOf(phase: Phase): string {
  const { fault, stops, requests } = phase;
  const seconds = fault === null ? '' : `${Math.round((fault.endedMs - fault.beganMs) / 1_000)} s`;
  const refused = countOf(phase, 'refused') + countOf(phase, 'unreachable');
  const cells = [
    fault === null ? 'no fault' : `\`${fault.name}\``,
    seconds,
    `${whole(requests.length)} (${whole(refused)})`,
    shownMs(worstRequestMs(phase)),
    whole(stops.length),
    stops.length === 0 ? '' : shownMs(worstStopMs(phase)),
    fault === null ? '' : shownMs(fault.recoveryMs),
  ];
  return `| ${cells.join(' | ')} |`;
}

/** The lines that are printed and saved. */
export function table({ phases }: Outcome): string {
  return [
    '| fault | duration | requests (refused) | worst request | stops | worst stop at the device | recovery |',
    '|---|---|---|---|---|---|---|',
    ...phases.map(rowOf),
  ].join('\n');
}

export function totals({ readings, operations, missions, alerts, streams }: Outcome): string {
  const events = streams.map(({ seen }) => whole(seen)).join(', ');
  const sum = (pick: 'missing' | 'duplicated'): number =>
    streams.reduce((total, stream) => total + stream[pick], 0);
  return [
    '| what | counted | lost or missing | duplicated |',
    '|---|---|---|---|',
    `| readings that the broker acknowledged | ${whole(readings.acknowledged)} | ${readings.lost} | |`,
    `| operations accepted, and begun at a device | ${whole(operations.accepted)}, ${whole(operations.begun)} | | ${operations.duplicated} |`,
    `| missions accepted, and begun at a device | ${missions.accepted}, ${missions.begun} | ${Math.max(0, missions.expected - missions.begun)} | ${missions.duplicated} |`,
    `| alerts expected, and raised | ${whole(alerts.expected)}, ${whole(alerts.raised)} | ${alerts.missing} | ${alerts.duplicated} |`,
    `| events on the stream of each node | ${events} | ${sum('missing')} | ${sum('duplicated')} |`,
  ].join('\n');
}

export function asMarkdown(outcome: Outcome, facts: RunFacts): string {
  const found = violations(outcome);
  const verdict =
    found.length === 0
      ? 'Every criterion was met.'
      : `Not met:\n\n${found.map((violation) => `- ${violation}`).join('\n')}`;
  return `# The soak run

What \`npm run soak\` found: ${facts.nodes} nodes on one PostgreSQL and one Mosquitto, ${whole(facts.devices)} simulated devices, ${facts.minutes} minutes, and each fault once while devices report and people start, stop and read.

- Date: ${facts.date}
- Machine: ${machine()}; everything is on it, also the devices and the callers. The host took ${facts.stolen} of its processor time away. ${facts.stalls}
- PostgreSQL ${facts.postgres}, Mosquitto ${facts.mosquitto}

Criteria: 0 acknowledged readings lost, 0 duplicated alerts or starts, 0 events missing on any stream, every request answered or refused within ${REQUEST_MS_MAX / 1_000} s, a stop at the device within ${STOP_MS_MAX} ms through any node (${STOP_DURING_FAULT_MS_MAX / 1_000} s during a fault), recovery within ${RECOVERY_MS_MAX / 1_000} s.

${verdict}

${totals(outcome)}

${table(outcome)}

A row counts the requests and stops that began between the beginning of the fault and the end of its recovery. Refused are requests with 503, 404 or 409, and those to a node that was not there.

How it is counted:

- **Readings.** Each device reports every 3 s with QoS 1. The acknowledgement is the broker's PUBACK; each acknowledged reading is looked for in the database itself.
- **Starts.** A start that is not answered is repeated through the next node with its idempotency key. Devices begin whatever they are told as often as they are told, and tell it: an operation or mission begun twice, or begun without a request, is a duplicate.
- **Alerts.** Silos become nearly empty again and again, and each alert is acknowledged: one alert for each time. They are raised and ended by a delay, so they are due on all nodes at once.
- **Events.** One stream for each node, resumed after the last number that was seen; at the end each is compared with the log in the database.
- **Stops.** From the first request to the receipt at the device, emergency stops included. A request that a node refuses, or a node that is not there, is followed by one to the next node, and that time counts.
- **Recovery.** From the end of the fault (the kill of a node, for the others) until all nodes are ready and answer, every device is connected, and every reading acknowledged before is in the database.

## The faults

${facts.faults.map(({ name, description }) => `- \`${name}\`: ${description}.`).join('\n')}
`;
}
