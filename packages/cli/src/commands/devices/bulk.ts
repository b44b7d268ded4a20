import { readFileSync, writeFileSync } from 'node:fs';
import type { ChangedDevices, DeviceChange } from '@granary/contract/bulk';
import { PROFILE_NAMES } from '@granary/contract/profiles/profiles';
import type { Command } from 'commander';
import { type AccessValues, accessClient, asActor } from '../../access/service-access.ts';
import type { Environment } from '../../program/environment.ts';
import { confirm } from '../../program/environment.ts';
import { UsageError } from '../../program/explain.ts';
import { choice, collect, given, STANDARD_INPUT, withAccess, withExamples } from '../../program/options.ts';
import { outputOf } from '../../terminal/output.ts';
import { printable } from '../../terminal/text.ts';
import { assignedParts } from './config.ts';

interface ChangeValues extends AccessValues {
  readonly label?: readonly string[];
  readonly device?: readonly string[];
  readonly facility?: string;
  readonly zone?: string;
  readonly profile?: (typeof PROFILE_NAMES)[number];
  readonly set: readonly string[];
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

export function defineChange(command: Command, environment: Environment): void {
  command
    .description(
      'Makes the same change to many devices, all of it or nothing. The differences are shown before anything is changed.',
    )
    .option('--label <name=value>', 'those with this label, or with the name; may be repeated', collect)
    .option('--device <id>', 'this device; may be repeated', collect)
    .option('--facility <name>', 'those of this facility')
    .option('--zone <name>', 'those of this zone')
    .addOption(choice('--profile <profile>', 'those of this profile', PROFILE_NAMES))
    .requiredOption(
      '--set <path=value>',
      'such as labels.season=2026, location.facility=North, model=GS-2 or configuration.thresholds.low_level=25; may be repeated',
      collect,
    )
    .option('--dry-run', 'only show the differences')
    .option('-y, --yes', 'do not ask');
  withExamples(
    command,
    'granary devices change --label product=wheat --set configuration.thresholds.low_level=25 --dry-run',
    'granary devices change --facility "North farm" --set labels.season=2026 --set labels.trial=null --yes',
  );
  withAccess(command).action(async (values: ChangeValues) => {
    const { env } = environment;
    const { label, device, facility, zone, profile } = values;
    const devices = given({
      labels: label && [...label],
      device_ids: device && [...device],
      facility,
      zone,
      profile,
    });
    // The service checks the paths and values.
    const change = { devices, set: settingsOf(values.set) } as DeviceChange;
    const { bulk } = accessClient(values, env);
    const output = outputOf(environment, values.json);
    const planned = await bulk.change(change, { dry_run: 'true' }, asActor(env));
    if (values.dryRun === true || planned.updated === 0) {
      return output.one(planned, () => differenceText(planned));
    }
    output.note(differenceText(planned));
    await confirm(`Change ${planned.updated} devices?`, values.yes, environment);
    const done = await bulk.change(change, {}, asActor(env));
    output.one(done, () => `Done: ${done.updated} changed, ${done.unchanged} unchanged.`);
  });
}

const LABEL = 'labels.';

/** The settings of the assignments. The value of a label is taken as text; an empty one, or null, removes the label. */
function settingsOf(assignments: readonly string[]): object {
  const labels = assignments
    .filter((one) => one.startsWith(LABEL))
    .map((one) => labelOf(one.slice(LABEL.length)));
  const parts = assignedParts(assignments.filter((one) => !one.startsWith(LABEL)));
  return { ...parts, ...(labels.length === 0 ? {} : { labels: Object.fromEntries(labels) }) };
}

/** Reads a label such as `product=wheat`; `product=` and `product=null` remove it. */
export function labelOf(text: string): [name: string, value: string | null] {
  const [name = '', ...rest] = text.split('=');
  const value = rest.join('=');
  return [name, ['', 'null'].includes(value) ? null : value];
}

const differenceText = ({ changes, updated, unchanged }: ChangedDevices): string =>
  [
    ...changes.flatMap(({ device_id, differences }) =>
      differences.map(({ path, before, after }) =>
        printable(`~ ${device_id} ${path}: ${JSON.stringify(before)} → ${JSON.stringify(after)}`),
      ),
    ),
    `To do: ${updated} to change, ${unchanged} unchanged.`,
  ].join('\n');

interface ImportValues extends AccessValues {
  readonly dryRun?: boolean;
  readonly secrets?: string;
}

export function defineImport(command: Command, environment: Environment): void {
  command
    .argument('<file>', `a CSV file, or ${STANDARD_INPUT} for the standard input`)
    .description(
      'Registers the devices of a CSV file, all of them or none; every row is checked before. The columns are device_id, profile, name, model, facility, zone, and where they are needed firmware_version, capacity_kg and label.NAME. Their secrets are printed this once, as CSV.',
    )
    .option('--dry-run', 'only check every row')
    .option('--secrets <file>', 'write the secrets to this new file, which only you can read');
  withExamples(
    command,
    'granary devices import devices.csv --dry-run',
    'granary devices import devices.csv --secrets secrets.csv',
  );
  withAccess(command).action(async (file: string, values: ImportValues) => {
    const { env } = environment;
    const csv = file === STANDARD_INPUT ? await environment.readInput() : textOf(file);
    const { bulk } = accessClient(values, env);
    const output = outputOf(environment, values.json);
    const planned = await bulk.importDevices({ csv }, { dry_run: 'true' }, asActor(env));
    const checked = `${planned.devices} rows checked, all of them right.`;
    if (values.dryRun === true) return output.one(planned, () => checked);
    if (values.secrets !== undefined) writeSecrets(values.secrets, '');
    const done = await bulk.importDevices({ csv }, {}, asActor(env));
    const rows = done.credentials.map(({ username, secret }) => `${username},${secret}`);
    const secrets = ['username,secret', ...rows].join('\n');
    if (values.secrets === undefined) return output.one(done, () => secrets);
    writeFileSync(values.secrets, `${secrets}\n`);
    output.one({ ...done, credentials: [] }, () => `${done.devices} devices registered.`);
  });
}

/** The file is written before anything is registered, because the secrets are answered only once. */
function writeSecrets(file: string, text: string): void {
  try {
    writeFileSync(file, text, { mode: 0o600, flag: 'wx' });
  } catch (cause) {
    throw new UsageError(`${file} cannot be made`, { cause, cure: 'Name a file that is not there yet.' });
  }
}

/** Reads a file in UTF-8 or in the characters of Windows, in which spreadsheets on many machines save it. */
function textOf(file: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (cause) {
    throw new UsageError(`${file} cannot be read`, { cause });
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
