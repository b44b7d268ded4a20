import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { BRIDGE_DEVICES_MAX } from '@granary/contract/bridges';
import { Labels } from '@granary/contract/devices/labels';
import { DeviceId } from '@granary/contract/ids';
import { checker, closed } from '@granary/contract/input/schema';
import { id, line } from '@granary/contract/input/text-schemas';
import { PROFILE_NAMES, PROFILES } from '@granary/contract/profiles/profiles';
import { CHANNELS, type ChannelName } from '@granary/contract/telemetry/channels';
import { type Static, Type } from 'typebox';
import type { AttachedDevice, DeviceFaults } from '../drivers/driver.ts';
import { Duration } from '../mapping/duration.ts';
import { LIBRARY } from '../mapping/library.ts';
import type { Mapping } from '../mapping/mapping.ts';
import { patternText } from '../mapping/place-form.ts';
import { readMapping } from '../mapping/read-mapping.ts';
import { type Fault, inOrder, readYaml } from '../mapping/yaml-document.ts';

const JOURNAL_HOURS_DEFAULT = 72;
const JOURNAL_BYTES_DEFAULT = 1_000_000_000;
const MAPPING_FILES_MAX = 500;

const HttpUrl = patternText('^https?://[\\x21-\\x7e]{1,500}$', 'an address such as http://127.0.0.1:8080');
const MqttUrl = patternText('^mqtts?://[\\x21-\\x7e]{1,500}$', 'an address such as mqtt://127.0.0.1:1883');
const EndpointUrl = patternText(
  '^[a-z][a-z0-9+.-]{0,19}://[\\x21-\\x7e]{1,480}$',
  'an address such as tcp://10.0.4.20:502',
);

const SiteDevice = closed({
  id: DeviceId,
  mapping: line(64),
  endpoint: EndpointUrl,
  unit: Type.Optional(Type.Integer({ minimum: 0, maximum: 65_535 })),
  name: Type.Optional(line(200)),
  profile: Type.Optional(Type.Enum(PROFILE_NAMES)),
  facility: Type.Optional(line(200)),
  zone: Type.Optional(line(200)),
  capacity: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
  every: Type.Optional(Duration),
  /** The labels, which are only used when a device is registered. */
  labels: Type.Optional(Labels),
  options: Type.Optional(
    Type.Record(
      Type.String({ pattern: '^[a-z][a-z0-9_]{0,39}$' }),
      Type.Union([Type.String({ maxLength: 200 }), Type.Number(), Type.Boolean()]),
    ),
  ),
});

/** The devices are checked separately, so that a wrong one does not hide the faults of the others. */
const Header = closed({
  bridge: closed({
    id: id(),
    service: Type.Optional(closed({ url: Type.Optional(HttpUrl), mqtt: Type.Optional(MqttUrl) })),
    journal: Type.Optional(
      closed({
        max_hours: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 720 })),
        max_bytes: Type.Optional(Type.Integer({ minimum: 1_000_000 })),
      }),
    ),
    /** The folder of the secrets and the journal, relative to the site file. */
    data: Type.Optional(line(500)),
  }),
  /** A key without a value counts as an empty list. */
  mappings: Type.Optional(Type.Union([Type.Array(line(500), { maxItems: MAPPING_FILES_MAX }), Type.Null()])),
  devices: Type.Optional(
    Type.Union([Type.Array(Type.Unknown(), { maxItems: BRIDGE_DEVICES_MAX }), Type.Null()]),
  ),
});

export type SiteDevice = Static<typeof SiteDevice>;
type HeaderFields = Static<typeof Header>;

const checkHeader = checker(Header);
const checkDevice = checker(SiteDevice);

/** A usable site file with its mappings. */
export interface Site {
  readonly file: string;
  readonly bridgeId: string;
  /** The address of the service; `null` if the process gets it in another way. */
  readonly serviceUrl: string | null;
  readonly mqttUrl: string | null;
  readonly journalHoursMax: number;
  readonly journalBytesMax: number;
  readonly dataDir: string;
  readonly devices: readonly { readonly entry: SiteDevice; readonly attached: AttachedDevice }[];
  /** Every usable mapping, by its name. */
  readonly mappings: ReadonlyMap<string, Mapping>;
  /** The files that were read; a change of one of them makes the bridge read the site again. */
  readonly files: readonly string[];
}

/** A fault and the file that it is in. */
export interface SiteFault extends Fault {
  readonly file: string;
}

export type SiteOutcome =
  | { readonly site: Site; readonly faults: readonly [] }
  | { readonly site: null; readonly faults: readonly SiteFault[] };

/** A device with its place in the site file. */
interface FoundDevice {
  readonly entry: SiteDevice;
  readonly attached: AttachedDevice;
  readonly line: number;
  readonly path: string;
}

/** The contents of the files of a site, before the drivers have checked the devices. They can be sent between threads. */
export interface SiteFiles {
  readonly file: string;
  readonly faults: readonly SiteFault[];
  /** The devices whose entries are valid. */
  readonly devices: readonly FoundDevice[];
  /** The site without its devices; `null` if there are faults. */
  readonly site: Omit<Site, 'devices'> | null;
}

/** Reads a site file, which is used completely or not at all: every fault of it and of its mappings is listed with its line. */
export async function readSite(
  path: string,
  deviceFaults: DeviceFaults,
  library = LIBRARY,
): Promise<SiteOutcome> {
  return siteOutcome(await readSiteFiles(path, await libraryMappings(library)), deviceFaults);
}

/** Adds the faults that the drivers find. */
export function siteOutcome(
  { file, faults: found, devices, site }: SiteFiles,
  deviceFaults: DeviceFaults,
): SiteOutcome {
  const faults = [
    ...found,
    ...devices.flatMap(({ attached, line: at, path }) =>
      deviceFaults(attached).map((message) => ({ file, line: at, path, message })),
    ),
  ];
  return site === null || faults.length > 0
    ? { site: null, faults: sorted(faults) }
    : { site: { ...site, devices }, faults: [] };
}

/** Reads the files of a site; `text` replaces the contents of the site file. */
export async function readSiteFiles(
  path: string,
  library: ReadonlyMap<string, Mapping>,
  text?: string,
): Promise<SiteFiles> {
  const file = resolve(path);
  const faults: SiteFault[] = [];
  const nothing = { file, faults, devices: [], site: null };
  const read = text ?? (await textOf(file, faults));
  if (read === null) return nothing;
  const document = readYaml(read);
  if (!('value' in document)) return { ...nothing, faults: document.map((fault) => ({ ...fault, file })) };
  const { value, lineOf } = document;
  const report = (at: string, message: string): void => {
    faults.push({ file, line: lineOf(at), path: at, message });
  };
  for (const { path: at, message } of checkHeader.accepts(value) ? [] : checkHeader.faults(value))
    report(at, message);
  const header = (value ?? {}) as HeaderFields;
  const entries: readonly unknown[] = Array.isArray(header.devices) ? header.devices : [];
  const listed = Array.isArray(header.mappings) ? header.mappings : [];
  const { mappings, files, faulty } = await readMappings(file, listed, library, report, faults);
  const devices = entries.flatMap((entry, index): FoundDevice[] => {
    const at = `/devices/${index}`;
    if (!checkDevice.accepts(entry)) {
      for (const fault of checkDevice.faults(entry)) report(`${at}${fault.path}`, fault.message);
      return [];
    }
    const mapping = mappings.get(entry.mapping);
    if (mapping === undefined) {
      // The faults of the file of the mapping are reported already.
      if (!faulty.has(entry.mapping))
        report(
          `${at}/mapping`,
          `there is no mapping ${entry.mapping}; its file must be in mappings or in the library`,
        );
      return [];
    }
    for (const message of profileFaults(entry, mapping)) report(at, message);
    return [{ entry, attached: attachedOf(entry, mapping), line: lineOf(at), path: at }];
  });
  for (const [deviceId, own] of Map.groupBy(devices, ({ entry }) => entry.id)) {
    for (const { path: at } of own.slice(1)) report(`${at}/id`, `${deviceId} is there twice`);
  }
  if (faults.length > 0) return { file, faults, devices, site: null };
  return { file, faults, devices, site: siteOf(file, header.bridge, mappings, files) };
}

function siteOf(
  file: string,
  { id: bridgeId, service = {}, journal = {}, data }: HeaderFields['bridge'],
  mappings: ReadonlyMap<string, Mapping>,
  files: readonly string[],
): Omit<Site, 'devices'> {
  const folder = dirname(file);
  return {
    file,
    bridgeId,
    serviceUrl: service.url ?? null,
    mqttUrl: service.mqtt ?? null,
    journalHoursMax: journal.max_hours ?? JOURNAL_HOURS_DEFAULT,
    journalBytesMax: journal.max_bytes ?? JOURNAL_BYTES_DEFAULT,
    dataDir: data === undefined ? defaultDataDir(file) : resolve(folder, data),
    mappings,
    files: [file, ...files],
  };
}

/** Returns the default folder: `site.yaml` has its secrets and its journal in `site.data`. */
const defaultDataDir = (file: string): string => join(dirname(file), `${basename(file, extname(file))}.data`);

export const unitsFileOf = ({ dataDir }: Pick<Site, 'dataDir'>): string => join(dataDir, 'units.json');

export const secretsFileOf = ({ dataDir }: Pick<Site, 'dataDir'>): string => join(dataDir, 'secrets.json');

const attachedOf = (
  { id: deviceId, endpoint, unit, every, options = {} }: SiteDevice,
  mapping: Mapping,
): AttachedDevice => ({
  id: deviceId,
  mapping,
  endpoint,
  unit: unit ?? null,
  options: every === undefined ? options : { ...options, every },
});

export const profileOf = ({ profile }: SiteDevice, mapping: Mapping) =>
  profile ?? mapping.profile ?? 'silo_scale';

/** Returns a fault if the profile of the device lacks channels that the mapping fills, because such readings would be refused. */
function profileFaults(entry: SiteDevice, mapping: Mapping): string[] {
  const profile = profileOf(entry, mapping);
  const known: readonly string[] = PROFILES[profile].channels;
  const wrong = channelsOf(mapping).filter((channel) => !known.includes(channel));
  return wrong.length === 0
    ? []
    : [
        `a device of the profile ${profile} has no ${wrong.join(', ')}, which the mapping ${mapping.name} fills`,
      ];
}

export const channelsOf = ({ points }: Mapping): ChannelName[] => [
  ...new Set(
    points.flatMap(({ sensor }) =>
      sensor !== null && Object.hasOwn(CHANNELS, sensor) ? [sensor as ChannelName] : [],
    ),
  ),
];

const sorted = (faults: readonly SiteFault[]): SiteFault[] =>
  [...Map.groupBy(faults, ({ file }) => file)].flatMap(([file, own]) =>
    inOrder(own).map((fault) => ({ ...fault, file })),
  );

async function textOf(file: string, faults: SiteFault[]): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    faults.push({ file, line: 1, path: '', message: `cannot be read: ${(error as Error).message}` });
    return null;
  }
}

/** Reads the mappings. Those that the site lists replace those of the library with the same name. */
async function readMappings(
  siteFile: string,
  listed: readonly unknown[],
  library: ReadonlyMap<string, Mapping>,
  report: (at: string, message: string) => void,
  faults: SiteFault[],
): Promise<{ mappings: Map<string, Mapping>; files: string[]; faulty: ReadonlySet<string> }> {
  const mappings = new Map(library);
  const files: string[] = [];
  /** The names of the mappings in faulty files, according to their file names. */
  const faulty = new Set<string>();
  for (const [index, name] of listed.entries()) {
    if (typeof name !== 'string') continue;
    const found = await filesIn(resolve(dirname(siteFile), name));
    if (found === null) report(`/mappings/${index}`, `there is no file or folder ${name}`);
    files.push(...(found ?? []));
  }
  for (const file of files) {
    const text = await textOf(file, faults);
    if (text === null) continue;
    const outcome = readMapping(text);
    if ('mapping' in outcome) mappings.set(outcome.mapping.name, outcome.mapping);
    else {
      for (const fault of outcome.faults) faults.push({ ...fault, file });
      faulty.add(basename(file, extname(file)));
    }
  }
  return { mappings, files, faulty };
}

/** The libraries are read once, because they do not change while the process runs. */
const libraries = new Map<string, Promise<ReadonlyMap<string, Mapping>>>();

export function libraryMappings(folder = LIBRARY): Promise<ReadonlyMap<string, Mapping>> {
  const known = libraries.get(folder) ?? readLibrary(folder);
  libraries.set(folder, known);
  return known;
}

async function readLibrary(folder: string): Promise<ReadonlyMap<string, Mapping>> {
  const mappings = new Map<string, Mapping>();
  for (const file of (await filesIn(folder)) ?? []) {
    const outcome = readMapping(await readFile(file, 'utf8'));
    if ('faults' in outcome) throw new Error(`${file}: ${outcome.faults[0]?.message}`);
    mappings.set(outcome.mapping.name, outcome.mapping);
  }
  return mappings;
}

/** Returns the file itself, or the mappings in a folder; `null` if there is neither. */
async function filesIn(path: string): Promise<string[] | null> {
  try {
    if (!(await stat(path)).isDirectory()) return [path];
    const names = (await readdir(path)).filter((name) => /\.ya?ml$/.test(name));
    return names.toSorted().map((name) => join(path, name));
  } catch {
    return null;
  }
}
