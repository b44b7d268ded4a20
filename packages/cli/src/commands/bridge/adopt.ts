import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { type Adopted, adopt as adoptSite, BridgeInUseError } from '@granary/bridge/adopt';
import { deviceFaults } from '@granary/bridge/drivers/drivers';
import { faultLine, readYaml } from '@granary/bridge/mapping/yaml-document';
import { replaceSite, withDevice } from '@granary/bridge/site/edit-site';
import {
  libraryMappings,
  readSiteFiles,
  type Site,
  type SiteDevice,
  secretsFileOf,
  siteOutcome,
} from '@granary/bridge/site/site-file';
import { type AccessValues, accessClient, asActor, serviceAccess } from '../../access/service-access.ts';
import type { Define } from '../../program/environment.ts';
import { CommandFailure, EXIT, UsageError } from '../../program/explain.ts';
import {
  collect,
  given,
  positiveNumber,
  wholeNumber,
  withAccess,
  withExamples,
} from '../../program/options.ts';
import { outputOf } from '../../terminal/output.ts';
import type { Column } from '../../terminal/table.ts';

interface AdoptValues extends AccessValues {
  readonly site: string;
  readonly dryRun?: boolean;
  readonly takeOver?: boolean;
  readonly device?: string;
  readonly mapping?: string;
  readonly mappingFile?: string;
  readonly endpoint?: string;
  readonly unit?: number;
  readonly name?: string;
  readonly facility?: string;
  readonly zone?: string;
  readonly capacity?: number;
  readonly every?: string;
  readonly option?: readonly string[];
}

const COLUMNS: readonly Column<Adopted>[] = [
  { title: 'DEVICE', text: ({ deviceId }) => deviceId },
  {
    title: 'OUTCOME',
    text: ({ outcome }) => outcome.replace('_', ' '),
    tone: ({ outcome }) => (outcome === 'refused' ? 'bad' : undefined),
  },
  { title: '', text: ({ detail }) => detail },
];

export const adopt: Define = (command, environment) => {
  command
    .description(
      'Registers the devices of a site file with the sensors of their mappings, and keeps their secrets beside the file. What is done already is left as it is, so it can be repeated.',
    )
    .requiredOption('--site <file>', 'the site file; it is made if it is missing')
    .option('--dry-run', 'only say what would be done')
    .option(
      '--take-over',
      'give a new secret to devices that are registered and whose secret is not here, and a new key to a bridge whose key is not here',
    )
    .option('--device <id>', 'add this device to the site file first, or replace it there')
    .option('--mapping <name>', 'its mapping')
    .option('--mapping-file <file>', 'a file with mappings that the site file should list')
    .option('--endpoint <address>', 'where it is reached, such as tcp://10.0.4.20:502')
    .option('--unit <number>', 'its unit behind a gateway', wholeNumber)
    .option('--name <text>', 'its name')
    .option('--facility <name>', 'where it belongs')
    .option('--zone <name>', 'where in the facility')
    .option('--capacity <kg>', 'of a silo', positiveNumber)
    .option('--every <duration>', 'how often it is read, such as 5s')
    .option(
      '--option <name=value>',
      'what its mapping asks for, such as address=24e1; may be repeated',
      collect,
    );
  withAccess(command).action(async (values: AdoptValues) => {
    const { env, printError } = environment;
    const isDryRun = values.dryRun === true;
    const text = await changedSite(values, serviceAccess(values, env).baseUrl, isDryRun);
    const files = await readSiteFiles(values.site, await libraryMappings(), text ?? undefined);
    const { site, faults } = siteOutcome(files, deviceFaults);
    if (site === null) {
      for (const fault of faults) printError(faultLine(fault.file, fault));
      throw new CommandFailure(`the site file ${values.site} cannot be used`, {
        exitCode: EXIT.failed,
        cure: `Mend the lines above.${text === null ? '' : ' The file is as it was, and these are its lines with the device.'}`,
      });
    }
    if (text !== null) await writeSite(values.site, text);
    const client = accessClient(values, env);
    const options = { isDryRun, takesOver: values.takeOver === true, ...asActor(env) };
    const adopted = await Array.fromAsync(adoptSite(site, client, options)).catch(explainInUse);
    outputOf(environment, values.json).list(COLUMNS, adopted, 'The site file has no devices.');
    if (values.json !== true) environment.print(nextStep(site, isDryRun));
    if (adopted.some(({ outcome }) => outcome === 'refused'))
      throw new CommandFailure('not every device was adopted', {
        exitCode: EXIT.failed,
        cure: 'The table says what each one needs.',
      });
  });
  withExamples(
    command,
    'granary bridge adopt --site site.yaml --dry-run',
    'granary bridge adopt --site site.yaml --device silo-9 --mapping-file my-scale.yaml --mapping my-scale --endpoint tcp://10.0.4.20:502 --unit 3 --facility North --capacity 20000',
  );
};

function explainInUse(error: unknown): never {
  if (!(error instanceof BridgeInUseError)) throw error;
  throw new CommandFailure(error.message, {
    cause: error,
    exitCode: EXIT.refused,
    cure: 'Choose another id in the site file, or shut that one out with --take-over.',
  });
}

const nextStep = (site: Site, isDryRun: boolean): string =>
  isDryRun
    ? 'Nothing was changed.'
    : `The secrets are in ${secretsFileOf(site)}. Start it: granary bridge run --site ${site.file}`;

const emptySite = (
  url: string,
  mqtt: string,
): string => `# The devices that this bridge attaches: docs/bridges.md
bridge:
  id: bridge-1
  service: {url: "${url}", mqtt: "${mqtt}"}
mappings: []
devices: []
`;

/** An AsyncAPI server, whose `host` is `{host}:1883`. */
interface DeclaredServer {
  readonly host: string;
  readonly variables: { readonly host: { readonly default: string } };
}

/** The address at which devices connect, from the document of the service; that contains 127.0.0.1 if the service does not know its name. */
async function mqttUrlOf(baseUrl: string): Promise<string> {
  const { protocol, hostname } = new URL(baseUrl);
  const answer = await fetch(new URL('/asyncapi.json', baseUrl));
  const { servers } = (await answer.json()) as { servers: Record<string, DeclaredServer> };
  const scheme = 'mqtts' in servers && (protocol === 'https:' || !('mqtt' in servers)) ? 'mqtts' : 'mqtt';
  const declared = servers[scheme];
  const named = declared?.variables.host.default ?? '127.0.0.1';
  const place = declared?.host ?? '{host}:1883';
  return `${scheme}://${place.replace('{host}', named === '127.0.0.1' ? hostname : named)}`;
}

/** The text of the site file with the device of the options; `null` if there is none, or if the text has faults of its own. */
async function changedSite(values: AdoptValues, baseUrl: string, isDryRun: boolean): Promise<string | null> {
  const { site, device, mapping, endpoint, mappingFile } = values;
  if (device === undefined && mapping === undefined && endpoint === undefined) return null;
  if (device === undefined || mapping === undefined || endpoint === undefined)
    throw new UsageError('a device to add needs --device, --mapping and --endpoint');
  if (isDryRun) throw new UsageError('--dry-run is for a site file as it is, without --device');
  const text = existsSync(site) ? await readFile(site, 'utf8') : emptySite(baseUrl, await mqttUrlOf(baseUrl));
  if (!('value' in readYaml(text))) return null;
  return withDevice(text, entryOf(values, device, mapping, endpoint), mappingFile);
}

async function writeSite(site: string, text: string): Promise<void> {
  if (existsSync(site)) await replaceSite(site, text);
  else await writeFile(site, text);
}

function entryOf(
  { unit, name, facility, zone, capacity, every, option = [] }: AdoptValues,
  id: string,
  mapping: string,
  endpoint: string,
): SiteDevice {
  const options = Object.fromEntries(option.map(optionOf));
  return {
    id,
    mapping,
    endpoint,
    ...given({ unit, name, facility, zone, capacity, every }),
    ...(option.length === 0 ? {} : { options }),
  };
}

function optionOf(text: string): [name: string, value: string] {
  const at = text.indexOf('=');
  if (at < 1) throw new UsageError(`--option must be name=value, not "${text}"`);
  return [text.slice(0, at), text.slice(at + 1)];
}
