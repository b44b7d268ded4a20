import { type Static, Type } from 'typebox';
import { Difference } from './audit.ts';
import { DeviceCredentials, SiloPatch } from './devices/devices.ts';
import { LabelSelectors } from './devices/labels.ts';
import { DeviceId } from './ids.ts';
import { checker, closed, described } from './input/schema.ts';
import { line } from './input/text-schemas.ts';
import { PROFILE_NAMES } from './profiles/profiles.ts';
import { checkApplyQuery, SITE_DEVICES_MAX, SiteDevice } from './site.ts';

/** The limit of devices that one transaction changes, because it holds the writer of an embedded store. */
export const CHANGED_DEVICES_MAX = SITE_DEVICES_MAX;
export const IMPORTED_DEVICES_MAX = 10_000;
export const IMPORT_BYTES_MAX = 4 * 1024 * 1024;
/** This many of the devices of a file are shown before they are registered. */
export const IMPORT_SHOWN_MAX = 20;
export const CSV_TYPE = 'text/csv';

/** A device is chosen if it meets all given criteria. */
const ChosenDevices = Type.Object(
  {
    device_ids: Type.Optional(Type.Array(DeviceId, { minItems: 1, maxItems: CHANGED_DEVICES_MAX })),
    facility: Type.Optional(line(200)),
    zone: Type.Optional(line(200)),
    profile: Type.Optional(Type.Enum(PROFILE_NAMES)),
    labels: Type.Optional(
      described('Labels that they have, such as `product=wheat`, or names of labels.', LabelSelectors),
    ),
  },
  { additionalProperties: false, minProperties: 1 },
);

const { model, firmware_version, location, capacity, labels } = SiloPatch.properties;

/** Fields that are not given stay as they are. */
const DeviceSettings = Type.Object(
  {
    model,
    firmware_version,
    location,
    capacity: described('Of silo scales.', capacity),
    labels,
    configuration: SiteDevice.properties.configuration,
  },
  { additionalProperties: false, minProperties: 1 },
);

export const DeviceChange = closed({ devices: ChosenDevices, set: DeviceSettings });

export const ChangedDevices = closed({
  dry_run: Type.Boolean(),
  updated: described('How many devices differ from before.', Type.Integer({ minimum: 0 })),
  unchanged: Type.Integer({ minimum: 0 }),
  changes: described(
    'Every chosen device, by id; one that is as it should be has no differences.',
    Type.Array(closed({ device_id: DeviceId, name: Type.String(), differences: Type.Array(Difference) })),
  ),
});

/** A file with one device in each row; JSON has its text in this field. */
const DeviceImport = closed({ csv: Type.String({ minLength: 1, maxLength: IMPORT_BYTES_MAX }) });

export const ImportedDevices = closed({
  dry_run: Type.Boolean(),
  devices: Type.Integer({ minimum: 0 }),
  first: described('The first devices, as they were understood.', Type.Array(SiteDevice)),
  credentials: described(
    'The secrets of the devices, shown this once; empty for a dry run.',
    Type.Array(DeviceCredentials),
  ),
});

export type DeviceChange = Static<typeof DeviceChange>;
export type ChangedDevices = Static<typeof ChangedDevices>;
export type ImportedDevices = Static<typeof ImportedDevices>;

export const checkDeviceChange = checker(DeviceChange);
export const checkDeviceImport = checker(DeviceImport);
export const checkDryRunQuery = checkApplyQuery;
