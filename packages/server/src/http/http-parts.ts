import type { App } from '@granary/app/app';
import type { BackgroundParts } from '../background/background-parts.ts';
import type { Worker } from '../background/worker.ts';
import type { DeviceParts } from '../devices/device-parts.ts';
import type { Keyring } from '../process/keys/keyring.ts';
import type { PasswordCosts } from '../process/keys/passwords.ts';
import type { Logger } from '../process/logging/logger.ts';
import type { Nodes } from '../process/nodes/nodes.ts';
import type { ServiceClock } from '../process/nodes/service-clock.ts';
import type { Settings } from '../process/settings.ts';
import type { CertificateFiles } from '../process/tls/certificate-files.ts';
import { changesOf } from './audit/attempt.ts';
import { RefusedAttempts } from './audit/refused-attempts.ts';
import { NewestValues } from './events/newest-values.ts';
import { Subscribers } from './events/subscribers.ts';
import { ServiceMetrics } from './metrics/service-metrics.ts';
import { Idempotency } from './protocol/idempotency.ts';
import { readsOf } from './request-limit.ts';
import type { SliceRoutes } from './route-dependencies.ts';
import { createHttpServer } from './server.ts';

interface Given extends DeviceParts, BackgroundParts {
  readonly settings: Settings;
  readonly app: App;
  readonly nodes: Nodes;
  readonly clock: ServiceClock;
  readonly keyring: Keyring;
  readonly logger: Logger;
  readonly now: () => number;
  /** `null` without TLS. */
  readonly certificates: CertificateFiles | null;
  readonly accessLog: Logger | null;
  readonly routes: readonly SliceRoutes[];
  readonly workers: readonly Worker[];
  /** The built operators' page. */
  readonly consoleFolder: string;
  readonly passwordCosts: PasswordCosts | undefined;
}

/** Composes the parts that answer requests. The streams and exports of callers end before the server waits for its connections. */
export function composeHttp(given: Given) {
  const { app, keyring, logger, now, certificates, exports } = given;
  const newestValues = new NewestValues({ app, logger, now });
  given.feed.observe(newestValues);
  const subscribers = new Subscribers({ keyring, logger });
  const refusedAttempts = new RefusedAttempts({
    write: (refusals) => app.audit.refused(refusals),
    logger,
    now,
  });
  const certificate = () => certificates?.current ?? null;
  const metrics = new ServiceMetrics({ ...given, subscribers, refusedAttempts, certificate });
  const idempotency = new Idempotency(app, now);
  const http = createHttpServer(
    {
      ...given,
      newestValues,
      subscribers,
      refusedAttempts,
      metrics,
      idempotency,
      storage: app,
      reads: readsOf(app),
      changes: changesOf(app),
    },
    given.routes,
    certificate(),
  );
  http.beforeClosing(() => subscribers.stop());
  http.beforeClosing(() => exports.stop());
  return { http, newestValues, subscribers, refusedAttempts, metrics };
}
