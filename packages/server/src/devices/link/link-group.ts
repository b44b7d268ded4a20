import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Duplex } from 'node:stream';
import type {
  BrokerAddresses,
  CommandOptions,
  Delivery,
  LinkConfiguration,
  LinkDevice,
  LinkEvent,
  LinkFigures,
  LinkHandler,
  LinkStatistics,
  LinkTotals,
} from '@granary/link/port';
import type { CertificatePair } from '@granary/link/tls';
import { NO_DEVICE_ACCESS } from '../broker-access/device-access.ts';
import type { LinkMember, MemberFigures } from './link-member.ts';
import type { LocalLink } from './local-link.ts';
import { MemberHandler } from './member-handler.ts';
import type { ServiceLink } from './service-link.ts';

interface GroupParts {
  readonly handler: LinkHandler;
  readonly addresses: BrokerAddresses;
  /** The part in this thread; it listens on the ports where there are no threads, and has the WebSockets in any case. */
  readonly local: (handler: LinkHandler) => LocalLink;
  readonly threads: readonly ((handler: LinkHandler) => LinkMember)[];
}

/**
 * The device link of several members. Every login is checked in this thread, so a device has one session: when it logs in on
 * one member while it may have a session on another, that one ends first and is reported first.
 */
export class LinkGroup implements ServiceLink {
  /** Logins are checked with what is stored. */
  readonly access = NO_DEVICE_ACCESS;
  readonly #handler: LinkHandler;
  readonly #addresses: BrokerAddresses;
  readonly #local: LocalLink;
  readonly #threads: readonly LinkMember[];
  readonly #members: readonly [LinkMember, ...LinkMember[]];
  /** The member on which each device has logged in last; only there it can have a session. */
  readonly #memberOfDevice = new Map<string, LinkMember>();
  /** Resolves when the session of the last login of a device has begun. */
  readonly #beginning = new Map<string, Promise<void>>();
  readonly #lastFigures = new Map<LinkMember, MemberFigures>();
  /** Devices whose session on another member was ended by the login that is being answered. */
  readonly #takenOver = new Set<string>();

  constructor({ handler, addresses, local, threads }: GroupParts) {
    this.#handler = handler;
    this.#addresses = addresses;
    this.#threads = threads.map((create) => this.#withHandler(create));
    this.#local = this.#withHandler(local);
    const [first = this.#local, ...others] = this.#threads;
    this.#members = this.#threads.length === 0 ? [this.#local] : [first, ...others, this.#local];
  }

  get isListening(): boolean {
    return this.#members.every(({ isListening }) => isListening);
  }

  /** The first thread chooses a free port if none is set, and the others share it. */
  async start(): Promise<BrokerAddresses> {
    try {
      if (this.#threads.length > 1) await assertPortsFree(this.#addresses);
      let bound = await this.#local.start();
      for (const [index, thread] of this.#threads.entries()) {
        bound = await thread.start(index === 0 ? this.#addresses : bound);
      }
      return bound;
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.#members.map((member) => member.stop()));
  }

  accept(stream: Duplex, remoteAddress: string): () => void {
    return this.#local.accept(stream, remoteAddress);
  }

  useCertificate(certificate: CertificatePair): void {
    for (const member of this.#members) member.useCertificate(certificate);
  }

  sendCommand(deviceId: string, command: object, options: CommandOptions): Promise<Delivery> {
    return this.#memberOf(deviceId).sendCommand(deviceId, command, options);
  }

  sendConfiguration(deviceId: string, configuration: LinkConfiguration): void {
    this.#memberOf(deviceId).sendConfiguration(deviceId, configuration);
  }

  isReachable(deviceId: string): boolean {
    return this.#memberOf(deviceId).isReachable(deviceId);
  }

  isConnected(deviceId: string): boolean {
    return this.#memberOf(deviceId).isConnected(deviceId);
  }

  async linkStatistics(deviceId: string): Promise<LinkStatistics> {
    const current = this.#memberOf(deviceId);
    const others = this.#members.filter((member) => member !== current);
    const [ofCurrent, ...ofOthers] = await Promise.all([
      current.linkStatistics(deviceId),
      ...others.map((member) => member.linkStatistics(deviceId)),
    ]);
    return sumOfStatistics(ofCurrent, ofOthers);
  }

  /** All members are told, because the session may just be beginning. */
  disconnect(deviceId: string): void {
    for (const member of this.#members) member.disconnect(deviceId);
  }

  forgetSensors(deviceId: string): void {
    for (const member of this.#members) member.forgetSensors(deviceId);
  }

  /** The last known figures of a member that does not answer. */
  async memberFigures(): Promise<MemberFigures[]> {
    const figures = await Promise.all(
      this.#members.map(async (member) => {
        const answered = await member.figures().catch(() => this.#lastFigures.get(member));
        if (answered !== undefined) this.#lastFigures.set(member, answered);
        return answered ?? [];
      }),
    );
    return figures.flat();
  }

  async health(): Promise<string> {
    await Promise.all(this.#members.map((member) => member.figures()));
    return this.isListening ? 'ok' : 'not listening';
  }

  async figures(): Promise<LinkFigures> {
    const figures = await this.memberFigures();
    return {
      connectedCount: this.#members.reduce((sum, { connectedCount }) => sum + connectedCount, 0),
      openCount: figures.reduce((sum, { openCount }) => sum + openCount, 0),
      totals: sumOfTotals(figures.map(({ totals }) => totals)),
    };
  }

  #memberOf(deviceId: string): LinkMember {
    return this.#memberOfDevice.get(deviceId) ?? this.#members[0];
  }

  #withHandler<Member extends LinkMember>(create: (handler: LinkHandler) => Member): Member {
    const member: Member = create(
      new MemberHandler(this.#handler, {
        authenticate: (...login) => this.#logIn(member, ...login),
        observed: (event) => this.#observed(event),
      }),
    );
    return member;
  }

  async #logIn(
    member: LinkMember,
    deviceId: string,
    secret: string,
    remoteAddress: string,
  ): Promise<LinkDevice | null> {
    const device = await this.#handler.authenticate(deviceId, secret, remoteAddress);
    if (device === null || this.#members.length === 1) return device;
    // A login that was accepted just before begins its session first, so that it can be ended.
    while (this.#beginning.has(deviceId)) await this.#beginning.get(deviceId);
    const begun = Promise.withResolvers<void>();
    this.#beginning.set(deviceId, begun.promise);
    try {
      this.#takenOver.delete(deviceId);
      const previous = this.#memberOfDevice.get(deviceId);
      if (previous !== undefined && previous !== member && (await previous.release(deviceId, remoteAddress)))
        this.#takenOver.add(deviceId);
      this.#memberOfDevice.set(deviceId, member);
      return device;
    } finally {
      // The answer is sent to the member in this turn.
      setImmediate(() => {
        this.#beginning.delete(deviceId);
        begun.resolve();
      });
    }
  }

  #observed(event: LinkEvent): void {
    const { kind, deviceId } = event;
    if (kind !== 'connected' || deviceId === null) this.#handler.observed(event);
    else
      this.#handler.observed({ ...event, isTakeover: this.#takenOver.delete(deviceId) || event.isTakeover });
  }
}

/** Threads that share a port would share it with another program, too; so the port is opened alone first, which fails then. */
async function assertPortsFree({ plain, secure }: BrokerAddresses): Promise<void> {
  for (const address of [plain, secure]) {
    if (address === null || address.port === 0) continue;
    const server = createServer();
    server.listen(address);
    await once(server, 'listening');
    server.close();
    await once(server, 'close');
  }
}

const sumOfTotals = (all: readonly LinkTotals[]): LinkTotals => ({
  logins: sum(all, ({ logins }) => logins),
  refusedLogins: sum(all, ({ refusedLogins }) => refusedLogins),
  messagesIn: sum(all, ({ messagesIn }) => messagesIn),
  messagesOut: sum(all, ({ messagesOut }) => messagesOut),
  faults: sum(all, ({ faults }) => faults),
});

/** The state of the current member, with the counters and the last incidents of all. */
function sumOfStatistics(current: LinkStatistics, others: readonly LinkStatistics[]): LinkStatistics {
  if (others.length === 0) return current;
  const all = [current, ...others];
  return {
    ...current,
    connects: sum(all, ({ connects }) => connects),
    takeovers: sum(all, ({ takeovers }) => takeovers),
    messagesIn: sum(all, ({ messagesIn }) => messagesIn),
    messagesOut: sum(all, ({ messagesOut }) => messagesOut),
    droppedExpired: sum(all, ({ droppedExpired }) => droppedExpired),
    droppedNotConnected: sum(all, ({ droppedNotConnected }) => droppedNotConnected),
    refusedLogins: sum(all, ({ refusedLogins }) => refusedLogins),
    faults: sum(all, ({ faults }) => faults),
    lastRefusal: latest(all, ({ lastRefusal }) => lastRefusal),
    lastFault: latest(all, ({ lastFault }) => lastFault),
    lastDisconnect: latest(all, ({ lastDisconnect }) => lastDisconnect),
  };
}

const sum = <Item>(all: readonly Item[], count: (one: Item) => number): number =>
  all.reduce((total, one) => total + count(one), 0);

function latest<Dated extends { readonly atMs: number }>(
  all: readonly LinkStatistics[],
  incidentOf: (one: LinkStatistics) => Dated | null,
): Dated | null {
  const incidents = all.flatMap((one) => incidentOf(one) ?? []);
  return incidents.reduce<Dated | null>(
    (newest, one) => (newest === null || one.atMs > newest.atMs ? one : newest),
    null,
  );
}
