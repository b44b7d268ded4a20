import type { SLICES, SliceName } from '@granary/app/use-cases';

/**
 * Who may request a write:
 * - `rights`: a caller whose rights cover what the write is about, or to whom it belongs; checked in the transaction of the write;
 * - `part`: any caller, for the part of a list that its rights cover; the rest is answered as not found;
 * - `everybody`: a caller with the scope, for any place, whose key or session has not ended; checked in the transaction of the write;
 * - `proof`: a request that contains a secret, or that only takes something from its sender; there is no caller yet, or it does not matter;
 * - `stop`: a caller with a stop, which is not refused for such a reason;
 * - `nobody`: devices and the clock cause the write, and no route requests it.
 */
type WhoMay = 'rights' | 'part' | 'everybody' | 'proof' | 'stop' | 'nobody';

/** The type requires an entry for every write of every slice. */
type EveryWhoMay = {
  readonly [Slice in SliceName]: { readonly [Write in keyof (typeof SLICES)[Slice]['writes']]: WhoMay };
};

export const WHO_MAY: EveryWhoMay = {
  devices: {
    register: 'rights',
    update: 'rights',
    maintain: 'rights',
    remove: 'rights',
    restore: 'rights',
    purgeStep: 'nobody',
    replaceSecret: 'rights',
    recordDuplicate: 'nobody',
    recordLinkDown: 'nobody',
    recordState: 'nobody',
  },
  // Storing readings is not an audited change, so the write has no caller: who may report is checked when the readings are taken in.
  telemetry: { append: 'proof', expire: 'nobody', compress: 'nobody', compressHistory: 'nobody' },
  configuration: { change: 'rights' },
  keys: {
    create: 'rights',
    createPersonal: 'rights',
    assign: 'rights',
    createFirst: 'nobody',
    revoke: 'rights',
    rotate: 'rights',
    preset: 'nobody',
    recordUse: 'nobody',
  },
  session: {
    create: 'proof',
    end: 'rights',
    endOthers: 'rights',
    changePassword: 'rights',
    createCode: 'rights',
    keepChallengeKey: 'proof',
    recordUse: 'nobody',
    expire: 'nobody',
  },
  guesses: {
    takeCode: 'proof',
    takePin: 'proof',
    wrong: 'proof',
    mistyped: 'proof',
    recognised: 'proof',
  },
  people: {
    invite: 'rights',
    change: 'rights',
    renew: 'rights',
    changeSecondFactor: 'rights',
    addPasskey: 'rights',
    removePasskey: 'rights',
    unlink: 'rights',
    unlinkOwn: 'rights',
    disable: 'rights',
  },
  signOn: { putPolicy: 'rights', use: 'proof', arrive: 'proof', noteInvalid: 'proof', logout: 'proof' },
  terminals: {
    enrol: 'rights',
    end: 'rights',
    setPerson: 'proof',
    lock: 'proof',
    stay: 'proof',
    setPin: 'rights',
  },
  confirmations: { create: 'rights' },
  operations: {
    expire: 'nobody',
    start: 'rights',
    notSent: 'nobody',
    stop: 'stop',
    declareEnded: 'rights',
    acknowledged: 'nobody',
    progressed: 'nobody',
    tick: 'nobody',
  },
  proposals: { create: 'rights', confirm: 'rights', refuse: 'rights', expire: 'nobody' },
  alerts: {
    expire: 'nobody',
    beginObservation: 'nobody',
    continueObservation: 'nobody',
    evaluate: 'nobody',
    evaluateDue: 'nobody',
    acknowledge: 'rights',
    acknowledgeMany: 'part',
    shelve: 'rights',
    unshelve: 'rights',
  },
  events: { number: 'nobody', expire: 'nobody' },
  idempotency: { expire: 'nobody' },
  commands: {
    expire: 'nobody',
    issue: 'rights',
    notSent: 'nobody',
    declareEnded: 'rights',
    acknowledged: 'nobody',
    progressed: 'nobody',
  },
  missions: {
    expire: 'nobody',
    create: 'rights',
    control: 'rights',
    declareEnded: 'rights',
    notSent: 'nobody',
    acknowledged: 'nobody',
    progressed: 'nobody',
  },
  field: { tick: 'nobody' },
  fleet: {},
  foresight: {
    save: 'nobody',
    noteRefill: 'rights',
    planDelivery: 'rights',
    cancelDelivery: 'rights',
    takeLease: 'nobody',
    expire: 'nobody',
  },
  shifts: {
    addNote: 'rights',
    removeNote: 'rights',
    expire: 'nobody',
    handOver: 'rights',
    acknowledgeHandover: 'rights',
  },
  reports: {
    createSchedule: 'rights',
    replaceSchedule: 'rights',
    removeSchedule: 'rights',
    sendDue: 'nobody',
    send: 'rights',
  },
  views: { create: 'rights', change: 'rights', remove: 'rights', changePreferences: 'rights' },
  // Reports of a bridge are not an audited change, so the write itself contains the key of the bridge and checks it.
  bridges: { report: 'proof', ask: 'rights', take: 'proof', give: 'rights', remove: 'rights' },
  bulk: { change: 'rights', register: 'rights' },
  alarmHelp: { put: 'rights', remove: 'rights' },
  exports: {},
  notifications: {
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
  },
  audit: { refused: 'nobody', expire: 'nobody' },
  // Plants belong to no place.
  plants: { create: 'everybody' },
  webhooks: {
    create: 'rights',
    update: 'rights',
    remove: 'rights',
    enable: 'rights',
    rotateSecret: 'rights',
    test: 'rights',
    replay: 'rights',
    distribute: 'nobody',
    take: 'nobody',
    renew: 'nobody',
    record: 'nobody',
    expire: 'nobody',
  },
  site: { apply: 'rights' },
};
