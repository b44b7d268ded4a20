import type { Page } from '@granary/contract/envelope';
import type { IssuedKey, KeyRecord, KeyRotation, NewKey } from '@granary/contract/keys';
import { everyItem, type PageRequest } from './pages.ts';
import type { Transport } from './transport.ts';

const ROOT = '/v1/keys';

export interface KeysClient {
  list(request?: PageRequest): Promise<Page<KeyRecord>>;
  /** Every key, page after page. */
  listAll(): AsyncGenerator<KeyRecord, void, undefined>;
  create(key: NewKey): Promise<IssuedKey>;
  revoke(keyId: string): Promise<KeyRecord>;
  /** Issues a successor; the old key goes on working for the overlap. */
  rotate(keyId: string, rotation?: KeyRotation): Promise<IssuedKey>;
}

const keyPath = (keyId: string) => `${ROOT}/${encodeURIComponent(keyId)}`;

export function keysClient(transport: Transport): KeysClient {
  const list = (request: PageRequest = {}) =>
    transport.page<KeyRecord>({ method: 'GET', path: ROOT, query: { ...request } });

  return {
    list,
    listAll: () => everyItem(list),
    create: (key) => transport.data({ method: 'POST', path: ROOT, body: key }),
    revoke: (keyId) => transport.data({ method: 'DELETE', path: keyPath(keyId) }),
    rotate: (keyId, rotation = {}) =>
      transport.data({ method: 'POST', path: `${keyPath(keyId)}/rotate`, body: rotation }),
  };
}
