import type { DeviceLink } from '@granary/link/port';
import type { Store } from '@granary/store/store';
import type { IngestPipeline } from '../ingest/pipeline.ts';
import type { Keyring } from '../keys.ts';
import type { Logger } from '../logger.ts';
import type { Settings } from '../settings.ts';

/** What routes may use. Each takes what it needs. */
export interface RouteParts {
  readonly settings: Settings;
  readonly store: Store;
  readonly link: DeviceLink;
  readonly pipeline: IngestPipeline;
  readonly keyring: Keyring;
  readonly logger: Logger;
  readonly now: () => number;
}
