import { type ServiceProcess, startServiceProcess } from './service-process.ts';

/** Where the measured service keeps its data. */
export interface Storage {
  /** Follows the name of a measurement; empty for the default. */
  readonly suffix: string;
  readonly databaseUrl: string;
  /** Where they differ from those of the default. */
  readonly targets?: { readonly reads: number; readonly stopMs: number };
}

export const SQLITE: Storage = { suffix: '', databaseUrl: '' };

export const startBenchService = (dataDir: string, { databaseUrl }: Storage): Promise<ServiceProcess> =>
  startServiceProcess({
    GRANARY_DATA_DIR: dataDir,
    GRANARY_DATABASE_URL: databaseUrl,
    GRANARY_RATE_LIMIT: 'off',
  });
