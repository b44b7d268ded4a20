import { setTimeout as sleep } from 'node:timers/promises';
import type { LoggedEvent } from '@granary/contract/logged-event';
import { SILOS } from '../bench/farm.ts';
import type { Caller } from './caller.ts';
import type { FleetProcess } from './fleet-process.ts';
import type { AlertLedger } from './ledgers.ts';

export const WAVE_ALERT = 'low_level';
/** The delays let the clock raise and clear the alerts of these silos, so that they are due on all nodes. */
export const WAVE_CONFIGURATION = { alarms: { on_delay_s: 2, off_delay_s: 2 } };
const LOW_KG = 3_000;
const NORMAL_KG = 10_000;
const PAUSE_MS = 20_000;
const PATIENCE_MS = 90_000;
const REPEATED_AFTER_MS = 500;

interface WavePlan {
  readonly caller: Caller;
  readonly fleet: FleetProcess;
  readonly ledger: AlertLedger;
  readonly silos: readonly string[];
}

/** Silos that become nearly empty and are filled again, and a person who acknowledges each alert; each time one alert must be raised. */
export class AlertWaves {
  readonly #plan: WavePlan;
  readonly #raised = new Map<string, (alertId: string) => void>();
  readonly #resolved = new Map<string, () => void>();
  #together = Promise.withResolvers<void>();
  #isEnding = false;

  constructor(plan: WavePlan) {
    this.#plan = plan;
  }

  /** The stream of each node delivers the same event. */
  event({ type, device_id, data }: LoggedEvent): void {
    if (type === 'alert.raised' && data.type === WAVE_ALERT) {
      this.#raised.get(device_id ?? '')?.(data.alert_id);
    }
    if (type === 'alert.status_changed' && data.status === 'resolved') {
      this.#resolved.get(data.alert_id)?.();
    }
  }

  async run(): Promise<void> {
    await Promise.all(this.#plan.silos.map((silo, index) => this.#waves(silo, index)));
  }

  /** Ends all pauses, so that the silos become empty at the same time. */
  beginTogether(): void {
    this.#together.resolve();
    this.#together = Promise.withResolvers();
  }

  end(): void {
    this.#isEnding = true;
    this.beginTogether();
  }

  async #waves(silo: string, index: number): Promise<void> {
    await this.#pause((PAUSE_MS * index) / this.#plan.silos.length);
    while (!this.#isEnding) {
      await this.#wave(silo);
      if (!this.#isEnding) await this.#pause(PAUSE_MS);
    }
  }

  async #wave(silo: string): Promise<void> {
    const { fleet, ledger } = this.#plan;
    ledger.expected(silo);
    const raised = Promise.withResolvers<string>();
    this.#raised.set(silo, raised.resolve);
    fleet.weigh(silo, LOW_KG);
    const alertId = await withPatience(raised.promise);
    this.#raised.delete(silo);
    if (alertId !== null) await this.#acknowledge(silo, alertId);
    const resolved = Promise.withResolvers<void>();
    this.#resolved.set(alertId ?? '', resolved.resolve);
    fleet.weigh(silo, NORMAL_KG);
    if (alertId !== null) await withPatience(resolved.promise);
    this.#resolved.delete(alertId ?? '');
  }

  async #acknowledge(silo: string, alertId: string): Promise<void> {
    const path = `${SILOS}/${silo}/alerts/${alertId}/acknowledge`;
    for (;;) {
      const answer = await this.#plan.caller.next({ method: 'POST', path, body: { acknowledged_by: 'Ada' } });
      if (answer.outcome === 'ok' || answer.isFinal) return;
      await sleep(REPEATED_AFTER_MS);
    }
  }

  async #pause(pauseMs: number): Promise<void> {
    await Promise.race([sleep(pauseMs, undefined, { ref: false }), this.#together.promise]);
  }
}

const withPatience = <T>(awaited: Promise<T>): Promise<T | null> =>
  Promise.race([awaited, sleep(PATIENCE_MS, null, { ref: false })]);
