import type { App } from '@granary/app/app';
import type { DeviceLink } from '@granary/link/port';
import type { BackupSchedule } from '../background/backup/backup-schedule.ts';
import type { EventFeed } from '../background/event-feed.ts';
import type { ExportRunner } from '../background/exports/export-runner.ts';
import type { Forecaster } from '../background/foresight/forecaster.ts';
import type { Mailer } from '../background/notifications/mailer.ts';
import type { SetAsideLog } from '../background/set-aside-log.ts';
import type { AddressGuard } from '../background/webhooks/address-guard.ts';
import type { DeviceDirectory } from '../devices/device-directory.ts';
import type { IngestPipeline } from '../devices/ingest/pipeline.ts';
import type { IngestMonitor } from '../devices/link/ingest-monitor.ts';
import type { ServiceLink } from '../devices/link/service-link.ts';
import type { Stops } from '../devices/sending/stops.ts';
import type { Keyring } from '../process/keys/keyring.ts';
import type { PasswordCosts } from '../process/keys/passwords.ts';
import type { Logger } from '../process/logging/logger.ts';
import type { Nodes } from '../process/nodes/nodes.ts';
import type { Settings } from '../process/settings.ts';
import type { Changes } from './audit/attempt.ts';
import type { RefusedAttempts } from './audit/refused-attempts.ts';
import type { NewestValues } from './events/newest-values.ts';
import type { Subscribers } from './events/subscribers.ts';
import type { ServiceMetrics } from './metrics/service-metrics.ts';
import type { Idempotency } from './protocol/idempotency.ts';
import type { Reads } from './request-limit.ts';

/** The parts of which the HTTP server is made. */
export interface ServerParts {
  readonly settings: Settings;
  readonly storage: Pick<App, 'health'>;
  /** A route writes through `changes` or `idempotency`, which enter the change in the audit log. */
  readonly reads: Reads;
  readonly changes: Changes;
  readonly link: Pick<ServiceLink, keyof DeviceLink | 'access'>;
  readonly pipeline: IngestPipeline;
  readonly ingest: IngestMonitor;
  readonly keyring: Keyring;
  readonly directory: Pick<DeviceDirectory, 'authenticate' | 'findBy' | 'findUrgently'>;
  readonly idempotency: Idempotency;
  readonly stops: Stops;
  readonly feed: EventFeed;
  readonly newestValues: NewestValues;
  readonly subscribers: Subscribers;
  readonly exports: ExportRunner;
  readonly forecaster: Pick<Forecaster, 'forecast' | 'wake'>;
  readonly setAside: SetAsideLog;
  /** `null` when no backups are scheduled. */
  readonly backups: Pick<BackupSchedule, 'status'> | null;
  /** `null`: no mail server is set. */
  readonly mailer: Pick<Mailer, 'send'> | null;
  readonly addressGuard: AddressGuard;
  readonly metrics: ServiceMetrics;
  readonly nodes: Pick<Nodes, 'liveCount' | 'conflict'>;
  /** The built operators' page. */
  readonly consoleFolder: string;
  readonly accessLog: Logger | null;
  readonly passwordCosts: PasswordCosts | undefined;
  readonly refusedAttempts: RefusedAttempts;
  readonly logger: Logger;
  readonly now: () => number;
}
