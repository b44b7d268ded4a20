import { type Static, Type } from 'typebox';
import { FieldRegistration, SiloRegistration } from '../devices/devices.ts';
import type { DeviceGroup } from '../devices/groups.ts';
import { DeviceId } from '../ids.ts';
import { closed } from '../input/closed.ts';
import { type Checker, checker, type ValidationIssue } from '../input/schema.ts';
import { PROFILE_NAMES, PROFILES } from '../profiles/profiles.ts';

/** A larger site is described by several documents, for example one for each facility. */
export const SITE_DEVICES_MAX = 500;

const { capacity } = SiloRegistration.properties;
const { name, model, firmware_version, location, sensors } = FieldRegistration.properties;

/** A device with its configuration. What is optional and not given stays as it is, or has its default in a new device. */
export const SiteDevice = closed({
  ...{ device_id: DeviceId, profile: Type.Enum(PROFILE_NAMES), name, model, firmware_version, location },
  /** Of silo scales, and only of those. */
  capacity: Type.Optional(capacity),
  sensors,
  /** Merged into the stored configuration, as `PUT …/config` does. */
  configuration: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
});

/** A part of a site as one document. What it does not name stays as it is. */
export const SiteDocument = closed({
  version: Type.Literal(1),
  devices: Type.Optional(Type.Array(SiteDevice, { maxItems: SITE_DEVICES_MAX })),
});

export type SiteDevice = Static<typeof SiteDevice>;
export type SiteDocument = Static<typeof SiteDocument>;

const checkFields = checker(SiteDocument);
const checkDevice = checker(SiteDevice);
const checkOutline = checker(
  closed({ ...SiteDocument.properties, devices: Type.Optional(Type.Array(Type.Unknown())) }),
);

/** A person repairs a whole document at once, so more faults are listed than for other bodies. */
const FAULTS_MAX = 200;

export const checkSiteDocument: Checker<SiteDocument> = {
  schema: SiteDocument,
  accepts: (value): value is SiteDocument =>
    checkFields.accepts(value) &&
    (value.devices ?? []).every(isConsistent) &&
    repeatedIds(value.devices).length === 0,
  faults: (value) => {
    if (!checkOutline.accepts(value)) return checkOutline.faults(value);
    const devices = value.devices ?? [];
    if (devices.length > SITE_DEVICES_MAX) return checkFields.faults(value);
    const faults = devices.flatMap((device, index) => prefixed(`/devices/${index}`, faultsOf(device)));
    return [...faults, ...repeatedIds(devices)].slice(0, FAULTS_MAX);
  },
};

const prefixed = (prefix: string, faults: readonly ValidationIssue[]): ValidationIssue[] =>
  faults.map(({ path, message }) => ({ path: prefix + path, message }));

const faultsOf = (device: unknown): ValidationIssue[] =>
  checkDevice.accepts(device)
    ? [...capacityFaults(device), ...configurationFaults(device)]
    : checkDevice.faults(device);

const isConsistent = (device: SiteDevice): boolean => faultsOf(device).length === 0;

function repeatedIds(devices: readonly unknown[] = []): ValidationIssue[] {
  const firstWithId = new Map<unknown, number>();
  return devices.flatMap((device, index) => {
    if (!checkDevice.accepts(device)) return [];
    const first = firstWithId.get(device.device_id);
    firstWithId.set(device.device_id, first ?? index);
    if (first === undefined) return [];
    return [{ path: `/devices/${index}/device_id`, message: `must differ from that of /devices/${first}` }];
  });
}

const HAS_CAPACITY: Readonly<Record<DeviceGroup, boolean>> = { silo: true, field: false };

function capacityFaults({ profile, capacity: given }: SiteDevice): ValidationIssue[] {
  const isRequired = HAS_CAPACITY[PROFILES[profile].group];
  if (isRequired === (given !== undefined)) return [];
  return [{ path: '/capacity', message: isRequired ? 'is required' : `is not known of a ${profile}` }];
}

function configurationFaults({ profile, configuration }: SiteDevice): ValidationIssue[] {
  if (configuration === undefined) return [];
  const { checkConfigurationPatch: check } = PROFILES[profile];
  return check.accepts(configuration) ? [] : prefixed('/configuration', check.faults(configuration));
}
