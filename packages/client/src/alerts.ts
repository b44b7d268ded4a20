import type { Acknowledgement, Alert, AlertFilter, Shelving } from '@granary/contract/alerts';
import type { Page } from '@granary/contract/envelope';
import { devicePath, type GroupRoots } from './devices.ts';
import { everyItem, type PageRequest } from './pages.ts';
import type { Transport } from './transport.ts';

/** The same questions for silos and for field devices. */
export interface AlertGroup {
  /** Newest first; the open ones that are not shelved if no status is given. */
  list(deviceId: string, filter?: { readonly status?: AlertFilter } & PageRequest): Promise<Page<Alert>>;
  /** Every such alert, page after page. */
  listAll(deviceId: string, status?: AlertFilter): AsyncGenerator<Alert, void, undefined>;
  get(deviceId: string, alertId: string): Promise<Alert>;
  acknowledge(deviceId: string, alertId: string, by: Acknowledgement): Promise<Alert>;
  /** Out of sight until then; its state goes on. */
  shelve(deviceId: string, alertId: string, shelving: Shelving): Promise<Alert>;
  /** Back in sight at once. */
  unshelve(deviceId: string, alertId: string): Promise<Alert>;
}

export interface AlertsClient {
  readonly silo: AlertGroup;
  readonly field: AlertGroup;
}

export function alertsClient(transport: Transport, roots: GroupRoots): AlertsClient {
  return { silo: alertGroup(transport, roots.silo), field: alertGroup(transport, roots.field) };
}

function alertGroup(transport: Transport, groupRoot: string): AlertGroup {
  const root = (deviceId: string) => `${devicePath(groupRoot, deviceId)}/alerts`;
  const path = (deviceId: string, alertId: string) => `${root(deviceId)}/${encodeURIComponent(alertId)}`;
  const list: AlertGroup['list'] = (deviceId, filter = {}) =>
    transport.page({ method: 'GET', path: root(deviceId), query: { ...filter } });

  return {
    list,
    listAll: (deviceId, status) =>
      everyItem((page) => list(deviceId, { ...page, ...(status === undefined ? {} : { status }) })),
    get: (deviceId, alertId) => transport.data({ method: 'GET', path: path(deviceId, alertId) }),
    acknowledge: (deviceId, alertId, body) =>
      transport.data({ method: 'POST', path: `${path(deviceId, alertId)}/acknowledge`, body }),
    shelve: (deviceId, alertId, body) =>
      transport.data({ method: 'POST', path: `${path(deviceId, alertId)}/shelve`, body }),
    unshelve: (deviceId, alertId) =>
      transport.data({ method: 'POST', path: `${path(deviceId, alertId)}/unshelve` }),
  };
}
