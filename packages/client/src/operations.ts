import type { Page } from '@granary/contract/envelope';
import type {
  DischargeRequest,
  FeedRequest,
  OperationQuery,
  OperationRecord,
  OperationStarted,
} from '@granary/contract/operations';
import { devicePath, type GroupRoots } from './devices.ts';
import { everyItem, type PageRequest } from './pages.ts';
import { type Repeatable, repeatable } from './repeatable.ts';
import type { Transport } from './transport.ts';

export type OperationFilter = Pick<OperationQuery, 'status' | 'type'>;

export interface OperationsClient {
  feed(siloId: string, request: FeedRequest, options?: Repeatable): Promise<OperationStarted>;
  discharge(siloId: string, request: DischargeRequest, options?: Repeatable): Promise<OperationStarted>;
  get(siloId: string, operationId: string): Promise<OperationRecord>;
  /** Safe to repeat, at any time. It is over once the status says so. */
  stop(siloId: string, operationId: string): Promise<OperationRecord>;
  /** Newest first. */
  list(siloId: string, filter?: OperationFilter & PageRequest): Promise<Page<OperationRecord>>;
  /** Every operation, page after page. */
  listAll(siloId: string, filter?: OperationFilter): AsyncGenerator<OperationRecord, void, undefined>;
}

export function operationsClient(transport: Transport, roots: GroupRoots): OperationsClient {
  const root = (siloId: string) => `${devicePath(roots.silo, siloId)}/operations`;
  const path = (siloId: string, operationId: string) => `${root(siloId)}/${encodeURIComponent(operationId)}`;
  const list: OperationsClient['list'] = (siloId, filter = {}) =>
    transport.page({ method: 'GET', path: root(siloId), query: { ...filter } });

  return {
    feed: (siloId, body, options) =>
      transport.data({ method: 'POST', path: `${root(siloId)}/feed`, body, headers: repeatable(options) }),
    discharge: (siloId, body, options) =>
      transport.data({
        method: 'POST',
        path: `${root(siloId)}/discharge`,
        body,
        headers: repeatable(options),
      }),
    get: (siloId, operationId) => transport.data({ method: 'GET', path: path(siloId, operationId) }),
    stop: (siloId, operationId) =>
      transport.data({ method: 'POST', path: `${path(siloId, operationId)}/stop` }),
    list,
    listAll: (siloId, filter = {}) => everyItem((page) => list(siloId, { ...filter, ...page })),
  };
}
