import type { TestContext } from 'node:test';
import type { Client } from '@granary/client';
import type { BridgedDevice, BridgeMapping, BridgeRequest, BridgeResult } from '@granary/contract/bridges';

const WAIT_S = 1;

interface Script {
  readonly devices: readonly BridgedDevice[];
  readonly mappings: readonly BridgeMapping[];
  /** Answers a request of the service. */
  answer(request: BridgeRequest): Omit<BridgeResult, 'request_id'>;
}

/** Runs a bridge that makes the reports of the script, and ends with the test. */
export function startBridge(t: TestContext, client: Client, bridgeId: string, script: Script): void {
  const now = new Date().toISOString();
  let isEnded = false;
  t.after(() => {
    isEnded = true;
  });
  const report = async (): Promise<void> => {
    let results: BridgeResult[] = [];
    const known = { devices: [...script.devices], mappings: [...script.mappings] };
    while (!isEnded) {
      const { requests } = await client.bridges.report(bridgeId, {
        session: 'scripted',
        version: '1.2.3',
        started_at: now,
        site: { file: '/etc/granary/site.yaml', loaded_at: now, faults: [{ line: 12, message: 'no unit' }] },
        journal: { readings: 1_204, bytes: 90_000, oldest_at: now, dropped: 3, fault: null, gaps: [] },
        ...known,
        results,
        wait_s: WAIT_S,
      });
      results = requests.map((request) => ({ request_id: request.request_id, ...script.answer(request) }));
    }
  };
  void report().catch(() => undefined);
}

/** A bridged device that answers. */
export const bridgedDevice = (device_id: string, changes: Partial<BridgedDevice> = {}): BridgedDevice => ({
  device_id,
  mapping: 'scale',
  endpoint: 'tcp://10.0.4.20:502',
  unit: 3,
  state: 'answering',
  connected: true,
  last_answer_at: new Date().toISOString(),
  round_trip_ms: 18,
  breaker: { open: false, next_try_at: null, failures: 0 },
  last_failure: null,
  counters: { requests: 10, failures: 0, timeouts: 0, skipped: 0, lateness_ms_max: 1 },
  waiting: 0,
  ...changes,
});
