import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BrokerAddresses, LinkDevice, LinkHandler, LinkStatistics } from '@granary/link/port';
import { LinkMembers } from './link-members.ts';
import type { ThreadMember } from './service-link.ts';

const NOWHERE: BrokerAddresses = { plain: null, secure: null };
const TOTALS = { logins: 1, refusedLogins: 0, messagesIn: 2, messagesOut: 3, faults: 0 };

const statistics = (connects: number, isSubscribed: boolean, faultAtMs: number): LinkStatistics => ({
  connectedSinceMs: null,
  session: null,
  remoteAddress: null,
  isSubscribed,
  unacknowledged: 0,
  connects,
  takeovers: 0,
  messagesIn: 1,
  messagesOut: 0,
  droppedExpired: 0,
  droppedNotConnected: 0,
  refusedLogins: 0,
  lastRefusal: null,
  faults: 1,
  lastDisconnect: null,
  lastFault: { atMs: faultAtMs, told: { code: 'does_not_read', values: {} } },
});

/** A member whose sessions the test begins, and which ends them when the test says so. */
class FakeMember implements ThreadMember {
  readonly logIn: LinkHandler['authenticate'];
  readonly told: string[] = [];
  readonly releasing: PromiseWithResolvers<boolean>[] = [];
  readonly connectedCount = 1;
  readonly openCount = 2;
  readonly totals = TOTALS;
  isListening = false;
  failsToStart = false;
  shown = statistics(1, false, 1);

  constructor(logIn: LinkHandler['authenticate']) {
    this.logIn = logIn;
  }

  async start(): Promise<BrokerAddresses> {
    if (this.failsToStart) throw Object.assign(new Error('in use'), { code: 'EADDRINUSE' });
    this.isListening = true;
    return NOWHERE;
  }

  async stop(): Promise<void> {
    this.isListening = false;
  }

  useCertificate(): void {
    this.told.push('certificate');
  }

  async sendCommand(deviceId: string): Promise<'sent'> {
    this.told.push(`send ${deviceId}`);
    return 'sent';
  }

  sendConfiguration(deviceId: string): void {
    this.told.push(`configure ${deviceId}`);
  }

  isReachable(): boolean {
    return true;
  }

  isConnected(): boolean {
    return true;
  }

  async linkStatistics(): Promise<LinkStatistics> {
    return this.shown;
  }

  disconnect(deviceId: string): void {
    this.told.push(`disconnect ${deviceId}`);
  }

  release(deviceId: string): Promise<boolean> {
    this.told.push(`release ${deviceId}`);
    const releasing = Promise.withResolvers<boolean>();
    this.releasing.push(releasing);
    return releasing.promise;
  }

  forgetSensors(deviceId: string): void {
    this.told.push(`forget ${deviceId}`);
  }

  async figures() {
    return { openCount: 2, totals: TOTALS, ingest: null, writes: null };
  }
}

function startGroup() {
  const members: FakeMember[] = [];
  const create = (logIn: LinkHandler['authenticate']): FakeMember => {
    const member = new FakeMember(logIn);
    members.push(member);
    return member;
  };
  const group = new LinkMembers({
    authenticate: async (deviceId, secret): Promise<LinkDevice | null> =>
      secret === 'right' ? { deviceId, deviceNo: 1, profile: 'silo_scale' } : null,
    addresses: NOWHERE,
    threads: [create, create],
    local: (logIn) => Object.assign(create(logIn), { accept: () => () => undefined }),
  });
  const [one, two, local] = members;
  assert.ok(one !== undefined && two !== undefined && local !== undefined);
  const logIn = async (member: FakeMember, secret = 'right') => {
    const device = await member.logIn('silo-1', secret, '10.0.0.1');
    if (device !== null) member.told.push('admitted');
    return device;
  };
  return { group, one, two, local, logIn };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a device that logs in', () => {
  it('on another member than before is admitted when its session there has ended', async () => {
    const { one, two, logIn, group } = startGroup();
    await logIn(one);
    await turn();
    const second = logIn(two);
    await turn();
    assert.deepEqual([one.told, two.told], [['admitted', 'release silo-1'], []]);
    await group.sendCommand('silo-1', {}, { expiresAtMs: null, repeatKey: null });
    one.releasing[0]?.resolve(true);
    await second;
    await group.sendCommand('silo-1', {}, { expiresAtMs: null, repeatKey: null });
    assert.deepEqual(one.told, ['admitted', 'release silo-1', 'send silo-1']);
    assert.deepEqual(two.told, ['admitted', 'send silo-1']);
  });

  it('on the same member again is admitted at once, because the member itself replaces the session', async () => {
    const { one, logIn } = startGroup();
    await logIn(one);
    await logIn(one);
    assert.deepEqual(one.told, ['admitted', 'admitted']);
  });

  it('on all members at the same time begins each session after the one before it, and keeps the last', async () => {
    const { one, two, local, logIn, group } = startGroup();
    const logins = [one, two, local].map((member) => logIn(member));
    await turn();
    await turn();
    assert.deepEqual([one.told, two.told, local.told], [['admitted', 'release silo-1'], [], []]);
    one.releasing[0]?.resolve(true);
    while (two.told.length < 2) await turn();
    assert.deepEqual([two.told, local.told], [['admitted', 'release silo-1'], []]);
    two.releasing[0]?.resolve(true);
    await Promise.all(logins);
    assert.deepEqual(local.told, ['admitted']);
    group.sendConfiguration('silo-1', { version: 1 });
    assert.equal(local.told.at(-1), 'configure silo-1');
  });

  it('with a wrong secret ends no session', async () => {
    const { one, two, logIn } = startGroup();
    await logIn(one);
    await turn();
    assert.equal(await logIn(two, 'wrong'), null);
    assert.deepEqual(one.told, ['admitted']);
  });

  it('replaces a session only when one was ended on another member', async () => {
    const { one, two, logIn } = startGroup();
    const devices = [await logIn(one)];
    for (const [from, to, ended] of [
      [one, two, true],
      [two, one, false],
    ] as const) {
      await turn();
      const login = logIn(to);
      while (from.releasing.length === 0) await turn();
      from.releasing.shift()?.resolve(ended);
      devices.push(await login);
    }
    assert.deepEqual(
      devices.map((device) => device?.replacesSession),
      [undefined, true, undefined],
    );
  });
});

it('a changed secret ends the session on every member, because it may just be beginning', () => {
  const { group, one, two, local } = startGroup();
  group.disconnect('silo-1');
  group.forgetSensors('silo-1');
  for (const { told } of [one, two]) assert.deepEqual(told, ['disconnect silo-1', 'forget silo-1']);
  assert.deepEqual(local.told, ['disconnect silo-1']);
});

it('figures and statistics are those of all members; the state is that of the member with the session', async () => {
  const { group, one, two, local, logIn } = startGroup();
  two.shown = statistics(4, true, 9);
  local.shown = statistics(2, false, 20);
  await logIn(two);
  const { connects, isSubscribed, faults, lastFault } = await group.linkStatistics('silo-1');
  assert.deepEqual([connects, isSubscribed, faults, lastFault?.atMs], [7, true, 3, 20]);
  const { openCount, connectedCount, totals } = await group.figures();
  assert.deepEqual([openCount, connectedCount, totals.messagesOut], [6, 3, 9]);
  one.figures = () => Promise.reject(new Error('it hangs'));
  assert.equal((await group.figures()).openCount, 6);
  await assert.rejects(group.health(), /hangs/);
});

it('a member that cannot start stops the others', async () => {
  const { group, one, two, local } = startGroup();
  two.failsToStart = true;
  await assert.rejects(group.start(), { code: 'EADDRINUSE' });
  assert.deepEqual(
    [one, two, local].map(({ isListening }) => isListening),
    [false, false, false],
  );
  two.failsToStart = false;
  await group.start();
  assert.equal(group.isListening, true);
  one.isListening = false;
  assert.equal(group.isListening, false);
});
