import {
  Applied,
  checkApplyQuery,
  checkExportQuery,
  checkSiteDocument,
  SiteChange,
  SiteDevice,
  SiteDocument,
} from '../site.ts';
import { one } from './declaration/answers.ts';
import { body, endpoint } from './declaration/endpoint.ts';
import type { Slice } from './declaration/slice.ts';

export const YAML_TYPE = 'application/yaml';

const silo = {
  device_id: 'silo-9',
  profile: 'silo_scale' as const,
  name: 'Silo 9',
  model: 'GS-100',
  location: { facility: 'north', zone: 'yard' },
  capacity: { max: 20_000, unit: 'kg' as const },
  configuration: { thresholds: { low_level: 15 } },
};

/** The configuration of a site as one document. */
const endpoints = {
  export: endpoint('api', 'GET', '/export', {
    scope: 'admin',
    summary:
      'Shows all devices with their configurations as one document, which can be applied here or elsewhere.',
    query: checkExportQuery,
    answers: { 200: one(SiteDocument, { alternatives: [YAML_TYPE] }) },
    examples: [{ summary: 'everything' }, { summary: 'one facility', query: { facility: 'north' } }],
  }),
  apply: endpoint('api', 'POST', '/apply', {
    scope: 'admin',
    summary:
      'Creates and changes what a document names, all of it or nothing; with dry_run=true it only shows the differences.',
    query: checkApplyQuery,
    body: body(checkSiteDocument, 'document', [YAML_TYPE]),
    answers: { 200: one(Applied) },
    errors: ['apply_refused', 'device_exists', 'malformed_yaml', 'broker_unavailable'],
    examples: [
      { summary: 'what would change', query: { dry_run: 'true' }, body: { version: 1, devices: [silo] } },
      {
        summary: 'a document with a contradiction',
        body: { version: 1, devices: [{ ...silo, configuration: { thresholds: { low_level: 99 } } }] },
        refusal: 'apply_refused',
      },
    ],
  }),
};

export const site = {
  description: 'The configuration of a site as one document.',
  endpoints,
  schemas: { Applied, SiteChange, SiteDevice, SiteDocument },
} satisfies Slice;
