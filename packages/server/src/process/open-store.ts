import { readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { type App, openApp } from '@granary/app/app';
import type { CarryOut } from '@granary/app/effects';
import { newId } from '@granary/app/ids';
import type { StoreLocation } from '@granary/app/open-reads';
import type { BrokerKind } from '@granary/core/nodes';
import { MoveError } from '@granary/store/errors';
import { Move } from '@granary/store/move/move';
import { hashSecret } from './keys/secrets.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { Logger } from './logging/logger.ts';
import { Nodes } from './nodes/nodes.ts';
import type { ServiceClock } from './nodes/service-clock.ts';
import { asDatabaseUrl } from './setting-values.ts';
import type { Settings } from './settings.ts';
import { VERSION } from './version.ts';

const FOLDER_ID_FILE = 'folder-id';

const UPGRADE =
  'the database was written by an older version and is upgraded; with many raw readings this takes minutes and as much free disk space as they use';

interface StoreParts {
  readonly settings: Settings;
  readonly broker: BrokerKind;
  readonly carryOut: CarryOut;
  readonly clock: ServiceClock;
  readonly logger: Logger;
  readonly lifecycle: Lifecycle;
}

export interface OpenedStore {
  readonly app: App;
  readonly nodes: Nodes;
}

/** Opens the database, joins the nodes that use it, and takes over its clock. */
export async function openStore(parts: StoreParts): Promise<OpenedStore> {
  const { settings, broker, carryOut, clock, logger, lifecycle } = parts;
  const app = await openApp(storeLocation(settings), carryOut, {
    onUpgrade: (from, to) => logger.warn({ from, to }, UPGRADE),
    effectsFailed: (error) => logger.error({ err: error }, 'carrying out the effects of a write failed'),
  });
  lifecycle.onStop(() => app.close());
  const node = {
    nodeId: newId('node', Date.now()),
    host: hostname(),
    broker,
    version: VERSION,
    folderId: app.nodes === null ? '' : await folderIdOf(settings.dataDir),
    presetHash: settings.adminKey === null ? null : hashSecret(settings.adminKey),
  };
  const nodes = new Nodes({ table: app.nodes, node, clock, logger });
  await nodes.join();
  await lifecycle.start(nodes);
  return { app, nodes };
}

export const storeLocation = ({ databaseUrl, databaseConnections, dataDir }: Settings): StoreLocation =>
  databaseUrl === null
    ? { engine: 'sqlite', folder: dataDir }
    : { engine: 'postgres', url: databaseUrl, connections: databaseConnections };

/** The id of the data folder, which is made at the first start with this folder. */
async function folderIdOf(dataDir: string): Promise<string> {
  const file = join(dataDir, FOLDER_ID_FILE);
  const kept = await readFile(file, 'utf8').catch(() => '');
  if (kept.trim() !== '') return kept.trim();
  const folderId = newId('folder', Date.now());
  await writeFile(file, `${folderId}\n`, { mode: 0o600 });
  return folderId;
}

export type { MoveError as MoveFailure } from '@granary/store/errors';
export type { Move, MovePlan, MoveStep } from '@granary/store/move/move';

export interface MovePlaces {
  readonly dataDir: string;
  readonly databaseUrl: string;
}

/** Opens the move of the embedded store to PostgreSQL after both sides were checked; nothing is written yet. */
export async function openMove(
  { dataDir, databaseUrl }: MovePlaces,
  options: { readonly isDryRun: boolean },
): Promise<Move> {
  const url = asDatabaseUrl(databaseUrl);
  if (url instanceof Error) throw new MoveError(`the address of the database ${url.message}`);
  return await Move.open(dataDir, url, options);
}
