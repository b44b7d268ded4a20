import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { AnnouncedDevice, NotUsed, NotUsedReason } from '@granary/bridge/discovery/home-assistant';
import type { FoundUnit } from '@granary/bridge/discovery/modbus-units';
import { type Found, type Proposal, proposalsOf } from '@granary/bridge/discovery/proposal';
import { PROFILE_NAMES, type ProfileName } from '@granary/contract/profiles/profiles';
import { SECOND_MS } from '@granary/contract/time';
import { parse } from 'yaml';
import type { Define } from '../../program/environment.ts';
import { CommandFailure, EXIT, UsageError } from '../../program/explain.ts';
import { address, choice, collect, positiveNumber, withExamples, withJson } from '../../program/options.ts';
import { type Output, outputOf } from '../../terminal/output.ts';
import { progressLine } from '../../terminal/progress.ts';
import type { Column } from '../../terminal/table.ts';

interface Values {
  readonly prefix: string;
  readonly seconds: number;
  readonly units: string;
  readonly timeout: number;
  readonly profile: ProfileName;
  readonly device?: readonly string[];
  readonly write?: string;
  readonly site?: string;
  readonly json?: boolean;
}

const SECONDS = 5;
const PROFILE: ProfileName = 'weather_station';
const PREFIX = 'homeassistant';
const UNITS = '1-32';
const TIMEOUT_MS = 300;
const MODBUS = ['tcp:', 'rtu+tcp:', 'serial:'];

const COLUMNS: readonly Column<Found>[] = [
  { title: 'DEVICE', text: ({ device }) => device.id },
  { title: 'NAME', text: ({ device }) => device.name },
  {
    title: 'MODEL',
    text: ({ device }) => [device.manufacturer, device.model].filter(Boolean).join(' ') || '-',
  },
  {
    title: 'SENSORS',
    text: ({ proposal }) =>
      proposal?.sensors.map(({ sensor }) => sensor).join(', ') ?? 'none that can be used',
  },
];

interface Left extends NotUsed {
  readonly device: string;
}

const REASONS: Readonly<Record<NotUsedReason, string>> = {
  template: 'its template is not understood:',
  component: 'the bridge reads sensors only, and this is a',
  no_state_topic: 'it names no topic',
  not_json: 'the announcement is not JSON:',
  no_number: 'its value is not a number, but a',
};

const LEFT_COLUMNS: readonly Column<Left>[] = [
  { title: 'DEVICE', text: ({ device }) => device },
  { title: 'NOT USED', text: ({ what }) => what },
  { title: 'BECAUSE', text: ({ reason, detail }) => `${REASONS[reason]} ${detail}`.trim() },
];

export const discover: Define = (command, environment) => {
  command
    .description(
      'Lists the devices that announce themselves for Home Assistant on an MQTT broker, with the sensors that can be read; ' +
        'or asks for the units behind a Modbus endpoint, which only reads. ' +
        'Nothing is changed unless --write is given. A user name and a password are taken from the address, or from ' +
        'GRANARY_BRIDGE_BROKER_PASSWORD.',
    )
    .argument(
      '<address>',
      'such as mqtt://192.168.1.10:1883, tcp://192.168.1.20:502 or serial:///dev/ttyUSB0?baud=9600',
    )
    .option('--prefix <topic>', `where announcements are (${PREFIX})`, PREFIX)
    .option('--seconds <n>', `how long to listen (${SECONDS})`, positiveNumber, SECONDS)
    .option('--units <list>', `Modbus: the units to ask (${UNITS})`, UNITS)
    .option('--timeout <ms>', `Modbus: how long a unit may take (${TIMEOUT_MS})`, positiveNumber, TIMEOUT_MS)
    .addOption(
      choice('--profile <name>', `what the devices are here (${PROFILE})`, PROFILE_NAMES).default(PROFILE),
    )
    .option('--device <id>', 'only this one; may be repeated', collect)
    .option('--write <folder>', 'write a mapping for each device into this folder')
    .option('--site <file>', 'with --write: also enter the devices in this site file');
  withExamples(
    command,
    'granary bridge discover mqtt://192.168.1.10',
    'granary bridge discover tcp://192.168.1.20:502 --units 1-10',
    'granary bridge discover mqtt://192.168.1.10 --device 0x00158d0001 --write mappings --site site.yaml',
  );
  withJson(command).action(async (broker: string, values: Values) => {
    if (URL.canParse(broker) && MODBUS.includes(new URL(broker).protocol))
      return await askUnits(broker, values, outputOf(environment, values.json));
    if (values.site !== undefined && values.write === undefined)
      throw new UsageError('--site needs --write, which says where the mappings go');
    const { endpoint, login } = accessOf(broker, environment.env);
    const devices = await listen(endpoint, login, values);
    const output = outputOf(environment, values.json);
    const found = proposalsOf(devices, endpoint, values.profile);
    if (output.isJson) output.one(found.map(record), () => '');
    else show(output, found, values);
    if (values.write !== undefined) await write(found, values.write, values.site, output);
  });
};

const UNIT_COLUMNS: readonly Column<FoundUnit>[] = [
  { title: 'UNIT', text: ({ unit }) => String(unit) },
  { title: 'ANSWER', text: ({ answer }) => answer },
  { title: 'ROUND TRIP', text: ({ roundTripMs }) => `${roundTripMs.toFixed(0)} ms` },
];

async function askUnits(endpoint: string, { units: list, timeout }: Values, output: Output): Promise<void> {
  const { modbusUnits, parseUnits } = await import('@granary/bridge/discovery/modbus-units');
  const units = parseUnits(list);
  if (units === null) throw new UsageError('--units must be a list such as 1-10,20, up to 247');
  const line = progressLine(process.stderr);
  const found: FoundUnit[] = [];
  try {
    for await (const one of modbusUnits(endpoint, units, timeout)) {
      if (!output.isJson) line.show(`unit ${one.unit}, ${found.length} found`);
      if (one.found !== null) found.push(one.found);
    }
  } catch (error) {
    throw new CommandFailure(
      `${endpoint} cannot be used: ${error instanceof Error ? error.message : String(error)}`,
      {
        cause: error,
        exitCode: EXIT.notReachable,
      },
    );
  }
  line.above(() =>
    output.list(
      UNIT_COLUMNS,
      found,
      `None of ${units.length} units answered. On a serial line check baud and parity; a slow gateway needs --timeout 1000.`,
    ),
  );
}

function accessOf(broker: string, env: NodeJS.ProcessEnv) {
  const url = new URL(address(broker, 'the address', ['mqtt:', 'mqtts:', ...MODBUS]));
  const username = decodeURIComponent(url.username);
  const password =
    url.password === '' ? (env['GRANARY_BRIDGE_BROKER_PASSWORD'] ?? '') : decodeURIComponent(url.password);
  const endpoint = `${url.protocol}//${url.host}`;
  return { endpoint, login: username === '' ? null : { username, password } };
}

async function listen(
  broker: string,
  login: { readonly username: string; readonly password: string } | null,
  { prefix, seconds, device: wanted }: Values,
): Promise<AnnouncedDevice[]> {
  const { announcedDevices } = await import('@granary/bridge/discovery/listen');
  try {
    const devices = await announcedDevices({ broker, login, prefix, forMs: seconds * SECOND_MS });
    const missing = wanted?.find((id) => !devices.some((device) => device.id === id));
    if (missing !== undefined)
      throw new CommandFailure(`no device announces itself as ${missing}`, {
        exitCode: EXIT.failed,
        cure: 'Without --device all are listed.',
      });
    return devices.filter(({ id }) => wanted === undefined || wanted.includes(id));
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    const reason = error instanceof Error && error.message !== '' ? error.message : String(error);
    throw new CommandFailure(`the broker ${broker} cannot be used: ${reason}`, {
      cause: error,
      exitCode: EXIT.notReachable,
      cure: 'Is the address right, and does the broker allow this login?',
    });
  }
}

function show(output: Output, found: readonly Found[], { seconds, write }: Values): void {
  output.list(
    COLUMNS,
    found,
    `Nothing was announced within ${seconds} s. Devices may announce themselves only when they start: try --seconds 60.`,
  );
  const left = found.flatMap(({ device }) => device.notUsed.map((one) => ({ ...one, device: device.id })));
  if (left.length > 0) {
    output.note('');
    output.list(LEFT_COLUMNS, left, '');
  }
  if (write === undefined && found.some(({ proposal }) => proposal !== null))
    output.note(
      '\nNothing was written. To attach a device: --device <id> --write <folder> --site <site file>',
    );
}

const record = ({ device, proposal }: Found) => ({
  id: device.id,
  name: device.name,
  model: device.model,
  manufacturer: device.manufacturer,
  sensors: proposal?.sensors.map(({ announced, sensor }) => ({ sensor, ...announced })) ?? [],
  not_used: device.notUsed,
  entry: proposal?.entry ?? null,
  mapping: proposal?.mapping ?? null,
});

/** Writes a mapping. An existing one stays as it is, because somebody may have changed it. */
async function write(
  found: readonly Found[],
  folder: string,
  site: string | undefined,
  output: Output,
): Promise<void> {
  const proposals = found.flatMap(({ proposal }) => (proposal === null ? [] : [proposal]));
  await mkdir(folder, { recursive: true });
  for (const { mappingName, mapping } of proposals) {
    const file = join(folder, `${mappingName}.yaml`);
    const isNew = await writeFile(file, mapping, { flag: 'wx' }).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'EEXIST') return false;
        throw error;
      },
    );
    output.note(isNew ? `Written: ${file}` : `Left as it is: ${file}`);
  }
  if (site !== undefined) await enter(proposals, folder, site, output);
}

/** Adds a device to the site file, unless its id is already there. */
async function enter(
  proposals: readonly Proposal[],
  folder: string,
  site: string,
  output: Output,
): Promise<void> {
  const { replaceSite, withDevice } = await import('@granary/bridge/site/edit-site');
  let text = await readFile(site, 'utf8');
  const { devices } = parse(text) as { readonly devices?: readonly { readonly id?: string }[] | null };
  const added = proposals.filter(({ entry }) => devices?.every(({ id }) => id !== entry.id) ?? true);
  for (const { entry, mappingName } of added)
    text = withDevice(text, entry, relative(dirname(site), join(folder, `${mappingName}.yaml`)));
  await replaceSite(site, text);
  const ids = added.map(({ entry }) => entry.id);
  output.note(ids.length === 0 ? `Nothing new for ${site}.` : `Entered in ${site}: ${ids.join(', ')}`);
}
