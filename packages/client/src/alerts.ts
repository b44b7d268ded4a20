import type { Acknowledgement, Alert, AlertFilter, Shelving } from '@granary/contract/alerts';
import type { Page } from '@granary/contract/envelope';
import { devicePath, type GroupRoots } from './devices.ts';
import { everyItem, type PageRequest } from './pages.ts';
import type { Transport } from './transport.ts';

export interface AlertsClient {
  /** Newest first; the open ones if no status is given. */
  list(siloId: string, filter?: { readonly status?: AlertFilter } & PageRequest): Promise<Page<Alert>>;
  /** Every such alert, page after page. */
  listAll(siloId: string, status?: AlertFilter): AsyncGenerator<Alert, void, undefined>;
  acknowledge(siloId: string, alertId: string, by: Acknowledgement): Promise<Alert>;
  /** Out of sight until then; its state goes on. */
  shelve(siloId: string, alertId: string, shelving: Shelving): Promise<Alert>;
}

export function alertsClient(transport: Transport, roots: GroupRoots): AlertsClient {
  const root = (siloId: string) => `${devicePath(roots.silo, siloId)}/alerts`;
  const path = (siloId: string, alertId: string) => `${root(siloId)}/${encodeURIComponent(alertId)}`;
  const list: AlertsClient['list'] = (siloId, filter = {}) =>
    transport.page({ method: 'GET', path: root(siloId), query: { ...filter } });

  return {
    list,
    listAll: (siloId, status) =>
      everyItem((page) => list(siloId, { ...page, ...(status === undefined ? {} : { status }) })),
    acknowledge: (siloId, alertId, body) =>
      transport.data({ method: 'POST', path: `${path(siloId, alertId)}/acknowledge`, body }),
    shelve: (siloId, alertId, body) =>
      transport.data({ method: 'POST', path: `${path(siloId, alertId)}/shelve`, body }),
  };
}
