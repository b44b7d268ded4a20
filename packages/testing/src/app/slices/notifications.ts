import { DAY_MS, MINUTE_MS, SECOND_MS } from '@granary/contract/time';
import { FIRST_PUSH_SETTINGS, pushRule, ruleContent } from '@granary/core/notifications/rule';
import { atMs, LIMIT, type WhoMayOf, type WriteRound, type WritesOf } from '../write-round.ts';

const CONTENT = ruleContent({
  name: 'rule',
  match: { severity_min: 'info' },
  targets: [{ email: 'ada@example.com' }],
  summary: { at_once_max: 1 },
  escalation: [{ after_minutes: 1, targets: [{ email: 'boss@example.com' }] }],
});

const change = (round: WriteRound, ruleId: string) => ({
  ruleId,
  content: CONTENT,
  canSendMail: true,
  nowMs: atMs(round),
});

/** The rules of a round are the same on every node, except the one that a round creates. */
const ownRule = ({ round, node }: WriteRound): string => `nr_${round}_${node}`;

/** The person whose browsers receive Web Push; no key has this id, so nothing is sent. */
const OWNER = 'per_pushed';

const subscriptionOf = (round: WriteRound) => ({
  subscriptionId: `psh_${round.round}_${round.node}`,
  keyId: OWNER,
  sessionHash: null,
  endpoint: `https://push.example/${round.round}-${round.node}`,
  p256dh: 'key',
  auth: 'secret',
  browser: '',
  createdAtMs: atMs(round),
});

export const whoMay: WhoMayOf<'notifications'> = {
  createRule: 'rights',
  replaceRule: 'rights',
  removeRule: 'rights',
  test: 'rights',
  advance: 'nobody',
  claim: 'nobody',
  renew: 'nobody',
  recordAttempt: 'nobody',
  keepPushKeys: 'nobody',
  subscribe: 'rights',
  unsubscribe: 'rights',
  changePushSettings: 'rights',
  testPush: 'rights',
  expire: 'nobody',
};

export const writes: WritesOf<'notifications'> = {
  createRule: (round) => [round.app.notifications.createRule(change(round, ownRule(round)))],
  replaceRule: (round) => [round.app.notifications.replaceRule(change(round, ownRule(round)))],
  test: (round) => {
    const test = {
      ruleId: ownRule(round),
      canSendMail: true,
      consoleUrl: null,
      timeZone: 'UTC',
      nowMs: atMs(round),
    };
    return [round.app.notifications.test(test)];
  },
  advance: (round) =>
    [0, MINUTE_MS].map((laterMs) =>
      round.app.notifications.advance({ nowMs: atMs(round) + laterMs, consoleUrl: null, timeZone: 'UTC' }),
    ),
  claim: (round) =>
    (['email', 'push'] as const).map((channel) => {
      const leasedUntilMs = atMs(round) + SECOND_MS;
      return round.app.notifications.claim({
        channel,
        urgency: 'other',
        nowMs: atMs(round),
        leasedUntilMs,
        limit: 5,
        withoutRules: [],
      });
    }),
  keepPushKeys: ({ app }) => [app.notifications.keepPushKeys({ publicKey: 'public', privateKey: 'private' })],
  subscribe: (round) => [round.app.notifications.subscribe(subscriptionOf(round))],
  changePushSettings: (round) => {
    const content = pushRule(OWNER, FIRST_PUSH_SETTINGS, 'UTC');
    return [round.app.notifications.changePushSettings({ keyId: OWNER, content, nowMs: atMs(round) })];
  },
  testPush: (round) => {
    const test = { keyId: OWNER, consoleUrl: null, timeZone: 'UTC', nowMs: atMs(round) };
    return [round.app.notifications.testPush(test)];
  },
  unsubscribe: (round) => [
    round.app.notifications.unsubscribe(OWNER, `psh_${round.round - 2}_${round.node}`),
  ],
  renew: (round) => [
    round.app.notifications.renew({ notificationId: 'ntf_unknown', fromMs: 0, toMs: atMs(round) }),
  ],
  recordAttempt: (round) => [sendOne(round)],
  removeRule: (round) => [
    round.app.notifications.removeRule({ ruleId: `nr_${round.round - 3}_0`, nowMs: atMs(round) }),
  ],
  expire: (round) => [round.app.notifications.expire({ beforeMs: atMs(round) - DAY_MS, rowsMax: LIMIT })],
};

async function sendOne({ app, ...round }: WriteRound): Promise<unknown> {
  const nowMs = atMs({ app, ...round });
  const page = { status: 'pending', ruleId: null, beforeId: null, limit: 1 } as const;
  const [notification] = await app.notifications.list(page);
  if (notification === undefined) return;
  const { notificationId } = notification;
  const outcome = { isSent: false, error: 'refused', isPermanent: true } as const;
  return await app.notifications.recordAttempt({ notificationId, outcome, nowMs });
}
