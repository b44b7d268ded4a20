import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type App, openApp, type StoreLocation } from '@granary/app/app';
import {
  type AuditFilter,
  type AuditPosition,
  type AuditRow,
  listEntries,
} from '@granary/app/audit/audit-rows';
import { type GroupAddresses, groupRoots } from '@granary/contract/endpoints/declaration/groups';
import { ACTIONS, ALL_ENDPOINTS } from '@granary/contract/endpoints/endpoints';
import { UNLIMITED } from '@granary/core/keys';
import { DATABASE_FILE, openReader } from '@granary/store/sqlite/database';
import { SqliteSql } from '@granary/store/sqlite/sql';

/** A request that a test has sent, and its answer. */
export interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly requestId: string | null;
  /** True for the repeated answer to a request with an idempotency key that was used before. */
  readonly isReplayed: boolean;
  /** The error code; `null` for a success, and in the plant store, which has no codes. */
  readonly code: string | null;
}

const PAGE = 1_000;
const EVERYTHING: AuditFilter = {
  limits: UNLIMITED,
  deviceId: null,
  facility: null,
  keyId: null,
  actor: null,
  action: null,
  result: null,
  fromMs: null,
  toMs: null,
};
const IS_DRY_RUN = /[?&]dry_run=true/;
/** The entry of a request that makes several changes is followed by one for each of them. */
const IS_ONE_OF_SEVERAL = /^au_[^_]+_\d+$/;
/** These requests were refused before it was known which endpoint was meant. */
const WITHOUT_ENDPOINT = ['route_not_found', 'method_not_allowed', 'headers_too_large'];

/**
 * Compares the requests of a suite with the audit log, after the service has stopped: every change has exactly one entry,
 * and every refused attempt is counted.
 */
export async function assertAudited(
  sent: readonly SentRequest[],
  location: StoreLocation,
  addresses: GroupAddresses,
): Promise<void> {
  const actionOf = actionFinder(addresses);
  const changes = sent.flatMap((request) => {
    const action = actionOf(request);
    const changesNothing = request.isReplayed || (request.status < 400 && IS_DRY_RUN.test(request.path));
    return action === undefined || changesNothing ? [] : [{ ...request, action }];
  });
  if (changes.length === 0) return;
  const entries = await readEntries(location);
  const done = countBy(entries, ({ result, attemptId, requestId }) =>
    result === 'done' && !IS_ONE_OF_SEVERAL.test(attemptId) ? requestId : null,
  );
  const succeeded = countBy(changes, ({ status, requestId }) => (status < 400 ? requestId : null));
  for (const { method, path, status, requestId } of changes) {
    if (status >= 400) continue;
    const found = done.get(requestId ?? '') ?? 0;
    assert.equal(found, succeeded.get(requestId ?? ''), `entries in the audit log for ${method} ${path}`);
  }
  const entered = countBy(entries, ({ result, action, code }) =>
    result === 'refused' ? nameOf(action, code) : null,
  );
  const refused = countBy(changes, ({ status, action, code }) =>
    status < 400 || WITHOUT_ENDPOINT.includes(code ?? '') ? null : nameOf(action, code),
  );
  for (const [name, count] of refused) {
    const found = entered.get(name) ?? 0;
    assert.ok(found >= count, `the audit log has ${found} of ${count} refusals of ${name}`);
  }
}

/** The name of a refusal; in the plant store it has no code, because the answers there do not contain it. */
const nameOf = (action: string, code: string | null): string =>
  action.startsWith('plants.') ? action : `${action} ${code}`;

function actionFinder(addresses: GroupAddresses): (request: SentRequest) => string | undefined {
  const roots = groupRoots(addresses);
  const audited = ALL_ENDPOINTS.filter(({ endpoint }) => endpoint.isAudited).map(({ endpoint }) => {
    const path = (roots[endpoint.group] + endpoint.path).replace(/\{\w+\}/g, '[^/]+');
    return { pattern: new RegExp(`^${endpoint.method} ${path}$`), action: ACTIONS.get(endpoint) };
  });
  return ({ method, path }) => {
    const request = `${method} ${path.split('?', 1)[0]}`;
    return audited.find(({ pattern }) => pattern.test(request))?.action;
  };
}

async function readEntries(location: StoreLocation): Promise<AuditRow[]> {
  const log = await openLog(location);
  try {
    const entries: AuditRow[] = [];
    let before: AuditPosition | null = null;
    for (;;) {
      const page: AuditRow[] = await log.list(EVERYTHING, before, PAGE);
      entries.push(...page);
      if (page.length < PAGE) return entries;
      before = page.at(-1) ?? null;
    }
  } finally {
    await log.close();
  }
}

interface Log {
  readonly list: App['audit']['list'];
  readonly close: () => Promise<void>;
}

async function openLog(location: StoreLocation): Promise<Log> {
  if (location.engine === 'postgres') {
    const app = await openApp(location);
    return { list: app.audit.list, close: () => app.close() };
  }
  // The database is read directly, because an app would start a writer thread, which takes longer than the comparison.
  const database = openReader(join(location.folder, DATABASE_FILE));
  const sql = new SqliteSql(database);
  return {
    list: (filter, before, limit) => listEntries(sql, filter, before, limit),
    close: async () => database.close(),
  };
}

function countBy<Item extends object>(
  items: readonly Item[],
  nameOfItem: (item: Item) => string | null,
): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) {
    const name = nameOfItem(item);
    const count = 'count' in item && typeof item.count === 'number' ? item.count : 1;
    if (name !== null) counts.set(name, (counts.get(name) ?? 0) + count);
  }
  return counts;
}
