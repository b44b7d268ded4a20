import type { DeviceLink } from '@granary/link/port';
import type { Store } from '@granary/store/store';
import type { AlertEvaluator } from '../alerts.ts';
import type { DeviceCommands } from '../device-commands.ts';
import type { DeviceDirectory } from '../device-directory.ts';
import type { EmergencyStops } from '../emergency-stops.ts';
import type { EventFeed } from '../events/feed.ts';
import type { Subscribers } from '../events/subscribers.ts';
import type { IngestCounters } from '../ingest/counters.ts';
import type { IngestPipeline } from '../ingest/pipeline.ts';
import type { Keyring } from '../keys.ts';
import type { Logger } from '../logger.ts';
import type { SetAsideLog } from '../set-aside-log.ts';
import type { Settings } from '../settings.ts';
import type { Stops } from '../stops.ts';
import type { Idempotency } from './idempotency.ts';

/** What routes may use. Each takes what it needs. */
export interface RouteParts {
  readonly settings: Settings;
  readonly store: Store;
  readonly link: DeviceLink;
  readonly pipeline: IngestPipeline;
  readonly ingestCounters: IngestCounters;
  readonly keyring: Keyring;
  readonly directory: DeviceDirectory;
  readonly idempotency: Idempotency;
  readonly commands: DeviceCommands;
  readonly stops: Stops;
  readonly emergencyStops: EmergencyStops;
  readonly evaluator: AlertEvaluator;
  readonly feed: EventFeed;
  readonly subscribers: Subscribers;
  readonly setAside: SetAsideLog;
  readonly logger: Logger;
  readonly now: () => number;
}
