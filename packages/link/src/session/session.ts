import type { DownSubject } from '@granary/contract/link/messages';
import type { Reception } from '../port.ts';

/**
 * What outlives a connection: subscriptions and the QoS 2 messages that are stored and not yet released. Messages for the
 * device are no part of it.
 */
export interface Session {
  readonly isPersistent: boolean;
  readonly granted: Map<DownSubject, 0 | 1>;
  /** By packet identifier; resolves when the message is stored. */
  readonly unreleased: Map<number, Promise<Reception>>;
}

export interface SessionLimits {
  readonly absentSessionsMax: number;
  readonly absentSessionMsMax: number;
}

/** The sessions of devices that are not connected, in memory: after a restart of the service no session is present. */
export class AbsentSessions {
  readonly #limits: SessionLimits;
  /** In the order of leaving. */
  readonly #absent = new Map<string, { readonly session: Session; readonly leftAtMs: number }>();

  constructor(limits: SessionLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#absent.size;
  }

  keep(deviceId: string, session: Session, nowMs: number): void {
    this.#absent.delete(deviceId);
    if (!session.isPersistent) return;
    this.#absent.set(deviceId, { session, leftAtMs: nowMs });
    for (const [oldest, { leftAtMs }] of this.#absent) {
      const isOverdue = nowMs - leftAtMs > this.#limits.absentSessionMsMax;
      if (!isOverdue && this.#absent.size <= this.#limits.absentSessionsMax) break;
      this.#absent.delete(oldest);
    }
  }

  /** The session to resume, if one is kept; it is no longer absent then. */
  resume(deviceId: string, nowMs: number): Session | null {
    const kept = this.#absent.get(deviceId);
    this.#absent.delete(deviceId);
    if (kept === undefined || nowMs - kept.leftAtMs > this.#limits.absentSessionMsMax) return null;
    return kept.session;
  }
}

export const newSession = (isPersistent: boolean): Session => ({
  isPersistent,
  granted: new Map(),
  unreleased: new Map(),
});
