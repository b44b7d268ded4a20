import { LATE, within } from '@granary/common/within';
import { endpoints } from '@granary/contract/endpoints/endpoints';
import type { Readiness } from '@granary/contract/endpoints/health';
import { toIsoOrNull } from '@granary/contract/time';
import type { FastifyInstance } from 'fastify';
import type { BackupStatus } from '../background/backup/backup-schedule.ts';
import type { IngestCounters } from '../devices/ingest/counters.ts';
import type { IngestFigures } from '../devices/link/ingest-monitor.ts';
import { register } from './register.ts';
import type { Parts } from './route-dependencies.ts';

const CHECK_MS_MAX = 2_000;

/** The health checks need no key, so they disclose nothing about devices. */
export function healthRoutes(
  routes: FastifyInstance,
  parts: Parts<'storage' | 'link' | 'ingest' | 'setAside' | 'backups' | 'nodes'>,
): void {
  const { storage, link, ingest, setAside, backups, nodes } = parts;
  const checks = {
    storage: async () => storage.health().then(() => 'ok'),
    device_link: async () => {
      if (nodes.conflict !== null) return nodes.conflict;
      return await link.health();
    },
    ingest: async ({ isHolding, hasRoom }: IngestFigures) => {
      if (isHolding) return 'readings are held back until the storage is available';
      return hasRoom ? 'ok' : 'the queue is full';
    },
  };

  register(routes, endpoints.health.live, async () => ({ status: 'ok' as const }));

  register(routes, endpoints.health.ready, async ({ reply }): Promise<Readiness> => {
    const figures = ingest.figures();
    const [storage, device_link, taking] = await Promise.all([
      resultOf(checks.storage),
      resultOf(checks.device_link),
      resultOf(async () => checks.ingest(await figures)),
    ]);
    const results: Readiness['checks'] = { storage, device_link, ingest: taking };
    const ready = Object.values(results).every((result) => result === 'ok');
    reply.code(ready ? 200 : 503);
    // Items that are set aside do not affect others, so they do not make the service unready.
    return {
      status: ready ? 'ok' : 'not ready',
      checks: results,
      set_aside: setAside.count,
      ...(backups === null ? {} : { backup: shownBackup(backups.status) }),
      ...shownBroker(link.access.unknownDevices),
      ingest: shown((await figures).counters),
    };
  });
}

/** A check that hangs is reported as failed, because the caller has its own time limit. */
async function resultOf(check: () => Promise<string>): Promise<string> {
  const result = await within(CHECK_MS_MAX, check()).catch(() => 'failing');
  return result === LATE ? 'does not answer' : result;
}

const shownBackup = ({ lastBackupMs, isFailing }: BackupStatus) => ({
  last_at: toIsoOrNull(lastBackupMs),
  is_failing: isFailing,
});

const shownBroker = (unknown: number | null): Pick<Readiness, 'broker'> =>
  unknown === null ? {} : { broker: { unknown_devices: unknown } };

const shown = (counters: IngestCounters) => ({
  rejected_messages: counters.rejectedMessages,
  unstorable_arrivals: counters.unstorableArrivals,
  failed_replies: counters.failedReplies,
  storage_faults: counters.storageFaults,
  refused_when_full: counters.refusedWhenFull,
  suppressed_log_lines: counters.suppressedLogLines,
});
