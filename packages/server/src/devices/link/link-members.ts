import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Duplex } from 'node:stream';
import type { EmbeddedBroker } from '@granary/link/broker/broker';
import type {
  BrokerAddresses,
  CommandOptions,
  Delivery,
  LinkConfiguration,
  LinkDevice,
  LinkFigures,
  LinkHandler,
  LinkStatistics,
  LinkTotals,
} from '@granary/link/port';
import type { CertificatePair } from '@granary/link/tls';
import { NO_DEVICE_ACCESS } from '../broker-access/device-access.ts';
import type { LinkMember, MemberFigures, ServiceLink, ThreadMember } from './service-link.ts';

type LogIn = LinkHandler['authenticate'];

/** What the group needs of the broker in this thread. */
export interface LocalMember
  extends LinkMember,
    Pick<EmbeddedBroker, 'start' | 'accept' | 'openCount' | 'totals'> {}

interface GroupParts {
  readonly authenticate: LogIn;
  readonly addresses: BrokerAddresses;
  /** Makes the broker of this thread, which listens on the ports where there are no threads, and has the WebSockets in any case. */
  readonly local: (logIn: LogIn) => LocalMember;
  readonly threads: readonly ((logIn: LogIn) => ThreadMember)[];
}

/**
 * The device link of several members. Every login is checked in this thread, so a device has one session: when it logs in on
 * one member while it may have a session on another, that one ends first and is reported first.
 */
export class LinkMembers implements ServiceLink {
  /** The embedded broker needs no device access, because logins are checked against the storage. */
  readonly access = NO_DEVICE_ACCESS;
  readonly #authenticate: LogIn;
  readonly #addresses: BrokerAddresses;
  readonly #local: LocalMember;
  readonly #threads: readonly ThreadMember[];
  readonly #members: readonly [LinkMember, ...LinkMember[]];
  /** The member on which each device has logged in last; only there it can have a session. */
  readonly #memberOfDevice = new Map<string, LinkMember>();
  /** Resolves when the session of the last login of a device has begun. */
  readonly #beginning = new Map<string, Promise<void>>();
  readonly #lastFigures = new Map<ThreadMember, MemberFigures>();

  constructor({ authenticate, addresses, local, threads }: GroupParts) {
    this.#authenticate = authenticate;
    this.#addresses = addresses;
    this.#threads = threads.map((create) => this.#withLogIn(create));
    this.#local = this.#withLogIn(local);
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

  async sendCommand(deviceId: string, command: object, options: CommandOptions): Promise<Delivery> {
    return await this.#memberOf(deviceId).sendCommand(deviceId, command, options);
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
    for (const thread of this.#threads) thread.forgetSensors(deviceId);
  }

  /** The last known figures of a thread that does not answer. */
  async memberFigures(): Promise<MemberFigures[]> {
    const { openCount, totals } = this.#local;
    const figures = await Promise.all(
      this.#threads.map(async (thread) => {
        const answered = await thread.figures().catch(() => this.#lastFigures.get(thread));
        if (answered !== undefined) this.#lastFigures.set(thread, answered);
        return answered ?? [];
      }),
    );
    return [...figures.flat(), { openCount, totals, ingest: null, writes: null }];
  }

  async health(): Promise<string> {
    await Promise.all(this.#threads.map((thread) => thread.figures()));
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

  #withLogIn<Member extends LinkMember>(create: (logIn: LogIn) => Member): Member {
    const member: Member = create((...login) => this.#logIn(member, ...login));
    return member;
  }

  async #logIn(
    member: LinkMember,
    deviceId: string,
    secret: string,
    remoteAddress: string,
  ): Promise<LinkDevice | null> {
    const device = await this.#authenticate(deviceId, secret, remoteAddress);
    if (device === null || this.#members.length === 1) return device;
    // An earlier login that was accepted begins its session first, so that the session can be ended here.
    while (this.#beginning.has(deviceId)) await this.#beginning.get(deviceId);
    const begun = Promise.withResolvers<void>();
    this.#beginning.set(deviceId, begun.promise);
    try {
      const previous = this.#memberOfDevice.get(deviceId);
      const isElsewhere = previous !== undefined && previous !== member;
      const replacesSession = isElsewhere && (await previous.release(deviceId, remoteAddress));
      this.#memberOfDevice.set(deviceId, member);
      return replacesSession ? { ...device, replacesSession } : device;
    } finally {
      // The answer is sent to the member in this turn of the event loop, so the next login of the device waits until after it.
      setImmediate(() => {
        this.#beginning.delete(deviceId);
        begun.resolve();
      });
    }
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
