import { parseArgs } from 'node:util';

export interface SoakOptions {
  readonly minutes: number;
  readonly devices: number;
  /** The names of the faults, in the order in which they are injected. */
  readonly faults: readonly string[];
  readonly save: boolean;
  /** A folder for the logs of the nodes. */
  readonly logFolder: string | null;
}

const MINUTES_DEFAULT = 20;
const DEVICES_DEFAULT = 500;
const DEVICES_MIN = 20;

const helpText = (
  faults: readonly string[],
): string => `npm run soak                       three nodes, 500 devices, 20 minutes, every fault once
npm run soak -- --save             also writes docs/soak.md (every fault only)
npm run soak -- --minutes 5 --devices 100 --only kill-node,dump

--logs    a folder for the logs of the nodes
--only    ${faults.join(', ')}

It starts its own PostgreSQL and Mosquitto; everything stays on this machine's loopback address and stops by itself.
As root on Debian it installs mosquitto and faketime when they are missing, and gives the database a file system of its own.
The exit code is 1 when a criterion is violated.`;

/** Printed instead of a run: the help, or the fault in the arguments. */
export interface Explanation {
  readonly text: string;
  readonly exitCode: number;
}

export function readOptions(args: readonly string[], faults: readonly string[]): SoakOptions | Explanation {
  const help = helpText(faults);
  const wrong = (what: string): Explanation => ({ text: `${what}\n${help}`, exitCode: 2 });
  const options = {
    minutes: { type: 'string' },
    devices: { type: 'string' },
    only: { type: 'string' },
    save: { type: 'boolean' },
    logs: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  } as const;
  try {
    const { values } = parseArgs({ args: [...args], options });
    if (values.help) return { text: help, exitCode: 0 };
    const chosen = values.only?.split(',') ?? faults;
    const unknown = chosen.filter((name) => !faults.includes(name));
    if (unknown.length > 0) return wrong(`there is no fault ${unknown.join(', ')}`);
    if (values.save && values.only !== undefined) return wrong('--save needs every fault');
    const minutes = Number(values.minutes ?? MINUTES_DEFAULT);
    const devices = Number(values.devices ?? DEVICES_DEFAULT);
    if (!(minutes > 0)) return wrong('--minutes: a number above 0');
    if (!Number.isInteger(devices) || devices < DEVICES_MIN)
      return wrong(`--devices: ${DEVICES_MIN} or more`);
    return { minutes, devices, faults: chosen, save: values.save === true, logFolder: values.logs ?? null };
  } catch (error) {
    return wrong(error instanceof Error ? error.message : String(error));
  }
}
