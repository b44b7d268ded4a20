import type { BridgedDevice, BridgeReport, BridgeRequest, BridgeResult } from '@granary/contract/bridges';
import type { Api } from './service.ts';

export const bridgedDevice = (deviceId: string, changes: Partial<BridgedDevice> = {}): BridgedDevice => ({
  device_id: deviceId,
  mapping: 'modbus-example',
  endpoint: 'tcp://10.0.4.20:502',
  unit: 3,
  state: 'answering',
  connected: true,
  last_answer_at: '2026-11-18T04:00:00Z',
  round_trip_ms: 4.2,
  breaker: { open: false, next_try_at: null, failures: 0 },
  last_failure: null,
  counters: { requests: 9, failures: 0, timeouts: 0, skipped: 0, lateness_ms_max: 1 },
  waiting: 0,
  ...changes,
});

/** A bridge without devices, which reports when a test tells it to, and answers requests. */
export class ScriptedBridge {
  readonly path: string;
  readonly #api: Api;
  readonly #general: BridgeReport;
  #isStopped = false;
  #answering: Promise<void> | null = null;

  constructor(api: Api, bridgeId: string, session = 'session-1') {
    this.#api = api;
    this.path = `/v1/bridges/${bridgeId}`;
    this.#general = {
      session,
      version: '0.1.0',
      started_at: '2026-11-18T04:00:00Z',
      site: { file: '/etc/granary/site.yaml', loaded_at: '2026-11-18T04:00:00Z', faults: [] },
      journal: { readings: 0, bytes: 0, oldest_at: null, dropped: 0, fault: null, gaps: [] },
    };
  }

  report(more: Partial<BridgeReport> = {}) {
    return this.#api.post(`${this.path}/report`, { ...this.#general, ...more });
  }

  /** Reports until `stop`, and carries out the requests that it gets. */
  answer(act: (asked: BridgeRequest) => Omit<BridgeResult, 'request_id'>): void {
    this.#answering = this.#answerUntilStopped(act);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#answering;
  }

  async #answerUntilStopped(act: (asked: BridgeRequest) => Omit<BridgeResult, 'request_id'>): Promise<void> {
    let results: BridgeResult[] = [];
    while (!this.#isStopped) {
      const { status, body } = await this.report({ results, wait_s: 1 });
      if (status !== 200) return;
      results = body.data.requests.map((asked: BridgeRequest) => ({
        request_id: asked.request_id,
        ...act(asked),
      }));
    }
  }
}
