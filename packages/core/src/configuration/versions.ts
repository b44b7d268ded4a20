import type { Actor } from '@granary/contract/audit';
import type { DeviceConfiguration } from '@granary/contract/profiles/profiles';
import { toIso } from '@granary/contract/time';
import { documentKind } from '../documents.ts';

const CONFIGURATION_DOCUMENT = documentKind<object>([]);

/** The fields of a configuration depend on the device, which the document does not name. */
export const storedConfiguration = <Configuration extends object>(text: string): Configuration =>
  CONFIGURATION_DOCUMENT.read(text) as Configuration;

export const configurationDocument = (configuration: object): string =>
  CONFIGURATION_DOCUMENT.write(configuration);

/** The limit for one device, so that a program that changes a configuration every minute does not fill the disk. */
export const VERSIONS_KEPT_MAX = 100;

/** The newest version that is not kept after `version` was written; 0 or less if all versions are kept. */
export const newestRemovedVersion = (version: number): number => version - VERSIONS_KEPT_MAX;

interface StoredVersion {
  readonly version: number;
  readonly atMs: number;
  readonly actor: Actor | null;
  readonly body: string;
}

/** The record that callers see. */
export const versionRecord = (stored: StoredVersion) => ({
  version: stored.version,
  at: toIso(stored.atMs),
  actor: stored.actor,
  configuration: storedConfiguration<DeviceConfiguration>(stored.body),
});
