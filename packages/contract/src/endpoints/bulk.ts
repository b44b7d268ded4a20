import {
  CHANGED_DEVICES_MAX,
  ChangedDevices,
  CSV_TYPE,
  checkDeviceChange,
  checkDeviceImport,
  checkDryRunQuery,
  IMPORTED_DEVICES_MAX,
  ImportedDevices,
} from '../bulk.ts';
import { one } from './declaration/answers.ts';
import { body, endpoint } from './declaration/endpoint.ts';
import type { Slice } from './declaration/slice.ts';

const FILE = `device_id,profile,name,model,facility,zone,capacity_kg,label.product
silo-21,silo_scale,Silo 21,GS-100,north,yard,20000,wheat
rover-21,rover,Rover 21,FR-7,north,field,,
`;

/** The same change for many devices; it is made for all of them or for none. */
const endpoints = {
  change: endpoint('api', 'POST', '/devices/change', {
    scope: 'admin',
    summary: `Makes the same change to up to ${CHANGED_DEVICES_MAX} devices, all of it or nothing; with dry_run=true it only shows the differences.`,
    query: checkDryRunQuery,
    body: body(checkDeviceChange, 'change'),
    answers: { 200: one(ChangedDevices) },
    errors: ['apply_refused'],
    examples: [
      {
        summary: 'what another threshold would change for the silos of a facility',
        query: { dry_run: 'true' },
        body: {
          devices: { facility: 'north', profile: 'silo_scale' },
          set: { labels: { season: '2026' }, configuration: { thresholds: { low_level: 15 } } },
        },
      },
      {
        summary: 'a threshold that a rover does not have',
        body: {
          devices: { profile: 'rover' },
          set: { configuration: { thresholds: { low_level: 15 } } },
        },
        refusal: 'apply_refused',
      },
    ],
  }),
  importDevices: endpoint('api', 'POST', '/devices/import', {
    scope: 'admin',
    summary: `Registers up to ${IMPORTED_DEVICES_MAX} devices from a CSV file, all of them or none; with dry_run=true every row is only checked.`,
    query: checkDryRunQuery,
    body: body(checkDeviceImport, 'file', [CSV_TYPE]),
    answers: { 200: one(ImportedDevices, { alternatives: [CSV_TYPE] }) },
    errors: ['apply_refused', 'device_exists', 'broker_unavailable'],
    examples: [
      { summary: 'what would be registered', query: { dry_run: 'true' }, body: { csv: FILE } },
      {
        summary: 'a silo without a capacity',
        body: { csv: FILE.replace('20000', '') },
        refusal: 'apply_refused',
      },
    ],
  }),
};

export const bulk = {
  description: 'Changes of many devices at once, and devices from a file.',
  endpoints,
} satisfies Slice;
