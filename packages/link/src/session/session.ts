import type { DownSubject } from '@granary/contract/link/messages';
import type { MessageOutcome } from '../port.ts';

/**
 * The state that is kept when a connection ends: subscriptions, and QoS 2 messages that are stored and not yet released.
 * Messages for the device are not part of it, so that nothing is redelivered.
 */
export interface Session {
  readonly isPersistent: boolean;
  readonly granted: Map<DownSubject, 0 | 1>;
  /** The keys are packet identifiers; a promise resolves when its message is stored. */
  readonly unreleased: Map<number, Promise<MessageOutcome>>;
}

export interface SessionLimits {
  readonly absentSessionsMax: number;
  readonly absentSessionMsMax: number;
}

/** The sessions of devices that are not connected, in memory only, so a restart of the service ends all of them. */
export class AbsentSessions {
  readonly #limits: SessionLimits;
  /**
   * The sessions in the order of disconnection. The keys are device numbers, because a later device with the same id must not
   * resume them.
   */
  readonly #absent = new Map<number, { readonly session: Session; readonly leftAtMs: number }>();

  constructor(limits: SessionLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#absent.size;
  }

  keep(deviceNo: number, session: Session, nowMs: number): void {
    this.#absent.delete(deviceNo);
    if (!session.isPersistent) return;
    this.#absent.set(deviceNo, { session, leftAtMs: nowMs });
    for (const [oldest, { leftAtMs }] of this.#absent) {
      const isOverdue = nowMs - leftAtMs > this.#limits.absentSessionMsMax;
      if (!isOverdue && this.#absent.size <= this.#limits.absentSessionsMax) break;
      this.#absent.delete(oldest);
    }
  }

  /** Removes and returns the session of a device that connects, if one is kept. */
  resume(deviceNo: number, nowMs: number): Session | null {
    const kept = this.#absent.get(deviceNo);
    this.#absent.delete(deviceNo);
    if (kept === undefined || nowMs - kept.leftAtMs > this.#limits.absentSessionMsMax) return null;
    return kept.session;
  }
}

export const newSession = (isPersistent: boolean): Session => ({
  isPersistent,
  granted: new Map(),
  unreleased: new Map(),
});

/**
 * Only a session with content is resumed: after a restart of the service, a device whose CONNACK was lost would rely on
 * subscriptions that no longer exist, and never receive a stop.
 */
export function resumable(latest: Session | null): Session | null {
  const hasContent = latest !== null && (latest.granted.size > 0 || latest.unreleased.size > 0);
  return hasContent && latest.isPersistent ? latest : null;
}
