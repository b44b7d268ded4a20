import type { GroupRoots } from '@granary/contract/endpoints/declaration/groups';
import { endpoints } from '@granary/contract/endpoints/endpoints';
import type { Readiness } from '@granary/contract/endpoints/health';
import { callOf } from './derive.ts';
import type { CallOptions } from './requests/call.ts';
import type { Transport } from './requests/transport.ts';

const NOT_READY = 503;

/** The answers have no envelope, and a service that is not ready answers its checks too. */
export interface HealthClient {
  live(options?: CallOptions): Promise<{ readonly status: string }>;
  ready(options?: CallOptions): Promise<Readiness>;
  /** The figures of the service, in the text format of Prometheus. */
  metrics(options?: CallOptions): Promise<string>;
}

export function healthClient(transport: Transport, roots: GroupRoots): HealthClient {
  const { live, ready, metrics } = endpoints.health;
  return {
    live: async (options) => JSON.parse(await transport.text(callOf(live, roots, [options]))),
    ready: async (options) => JSON.parse(await transport.text(callOf(ready, roots, [options]), [NOT_READY])),
    metrics: (options) => transport.text(callOf(metrics, roots, [options])),
  };
}
