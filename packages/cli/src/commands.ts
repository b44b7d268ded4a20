import type { Define } from './program/environment.ts';

interface Entry {
  readonly alias?: string;
  readonly summary: string;
  /** True when the command continues after the reader of its output has left, because it moves something or serves others. */
  readonly survivesClosedOutput?: true;
  /** True when the command needs all other commands. */
  readonly needsAll?: true;
  /** Loads the command. Only the command that runs is loaded, so that listing keys does not load a database. */
  readonly load: () => Promise<Define>;
}

export interface CommandEntry extends Entry {
  readonly name: string;
  /** The heading in the help. */
  readonly group: string;
}

/** All commands by their heading in the help; the help, the completion of shells and the checks of `docs/cli.md` follow from this. */
const GROUPS: Readonly<Record<string, Readonly<Record<string, Entry>>>> = {
  'Service:': {
    up: {
      alias: 'demo',
      summary: 'start the service with a simulated farm',
      survivesClosedOutput: true,
      load: async () => (await import('./commands/service/up.ts')).up,
    },
    serve: {
      summary: 'start the service',
      survivesClosedOutput: true,
      load: async () => (await import('./commands/service/serve.ts')).serve,
    },
    simulate: {
      summary: 'run the simulated farm against a running service',
      survivesClosedOutput: true,
      load: async () => (await import('./commands/service/simulate.ts')).simulate,
    },
    'remove-demo': {
      summary: 'remove the simulated devices, and no others',
      survivesClosedOutput: true,
      load: async () => (await import('./commands/service/remove-demo.ts')).removeDemo,
    },
    backup: {
      summary: 'copy the database into a file, also while the service runs',
      survivesClosedOutput: true,
      load: async () => (await import('./commands/service/backup.ts')).backup,
    },
    restore: {
      summary: 'make a backup the database again',
      survivesClosedOutput: true,
      load: async () => (await import('./commands/service/backup.ts')).restore,
    },
    migrate: {
      summary: 'copy the embedded store to PostgreSQL',
      survivesClosedOutput: true,
      load: async () => (await import('./commands/service/migrate.ts')).migrate,
    },
    console: {
      summary: "print a link to the operators' page that signs in once",
      load: async () => (await import('./commands/service/console.ts')).consoleLink,
    },
    mcp: {
      summary: 'connect an agent over standard input',
      load: async () => (await import('./commands/service/mcp.ts')).mcp,
    },
    doctor: {
      summary: 'look for what is wrong, with its cure',
      load: async () => (await import('./commands/service/doctor.ts')).doctor,
    },
  },
  'Devices:': {
    devices: {
      summary: 'list devices',
      load: async () => (await import('./commands/devices/devices.ts')).devices,
    },
    device: {
      summary: 'show, watch, add, edit and remove one device; its connection',
      load: async () => (await import('./commands/devices/device.ts')).device,
    },
    feed: {
      summary: 'put material into a silo',
      survivesClosedOutput: true,
      load: async () => (await import('./commands/jobs/feed.ts')).feed,
    },
    discharge: {
      summary: 'take material out of a silo',
      survivesClosedOutput: true,
      load: async () => (await import('./commands/jobs/feed.ts')).discharge,
    },
    stop: {
      summary: 'stop what moves',
      survivesClosedOutput: true,
      load: async () => (await import('./commands/jobs/stop.ts')).stop,
    },
    release: {
      summary: 'release an emergency stop',
      load: async () => (await import('./commands/jobs/command.ts')).release,
    },
    command: {
      summary: 'move, hold, return a rover or drone; scan and sample',
      load: async () => (await import('./commands/jobs/command.ts')).command,
    },
    config: {
      summary: 'show and change the configuration of a device',
      load: async () => (await import('./commands/devices/config.ts')).config,
    },
    maintenance: {
      summary: 'begin and end the maintenance of a device',
      load: async () => (await import('./commands/devices/maintenance.ts')).maintenance,
    },
  },
  'Records:': {
    forecast: {
      summary: 'when silos run empty, and by when to order',
      load: async () => (await import('./commands/foresight/forecast.ts')).forecast,
    },
    backtest: {
      summary: 'replay the weights of a silo, and compare its forecasts with what happened',
      load: async () => (await import('./commands/foresight/backtest.ts')).backtest,
    },
    orders: {
      summary: 'what to order, for which silos and by when',
      load: async () => (await import('./commands/foresight/forecast.ts')).orders,
    },
    refills: {
      summary: 'list the refills of silos',
      load: async () => (await import('./commands/foresight/forecast.ts')).refills,
    },
    history: {
      summary: 'show what a sensor measured',
      load: async () => (await import('./commands/records/history.ts')).history,
    },
    alerts: {
      summary: 'list alerts',
      load: async () => (await import('./commands/records/alerts.ts')).alerts,
    },
    ack: {
      summary: 'acknowledge alerts',
      load: async () => (await import('./commands/records/alerts.ts')).ack,
    },
    shelve: {
      summary: 'take an alert out of the list for a while',
      load: async () => (await import('./commands/records/alerts.ts')).shelve,
    },
    unshelve: {
      summary: 'put a shelved alert back',
      load: async () => (await import('./commands/records/alerts.ts')).unshelve,
    },
    operations: {
      summary: 'list feeds and discharges',
      load: async () => (await import('./commands/records/operations.ts')).operations,
    },
    proposals: {
      summary: 'list, confirm and refuse operations that agents propose',
      load: async () => (await import('./commands/records/proposals.ts')).proposals,
    },
    missions: {
      summary: 'list missions; create, show, pause, resume and cancel one',
      load: async () => (await import('./commands/records/missions.ts')).missions,
    },
    report: {
      summary: 'show stock, use, orders and alerts of a day, a week or a month',
      load: async () => (await import('./commands/records/report.ts')).report,
    },
    note: {
      summary: 'list, write and remove notes on devices and facilities',
      load: async () => (await import('./commands/records/shifts.ts')).note,
    },
    handover: {
      summary: 'list, write and acknowledge what one shift tells the next one',
      load: async () => (await import('./commands/records/shifts.ts')).handover,
    },
    events: {
      summary: 'follow the event log',
      load: async () => (await import('./commands/records/events.ts')).events,
    },
    audit: {
      summary: 'list who changed what',
      load: async () => (await import('./commands/records/events.ts')).audit,
    },
  },
  'Access and configuration:': {
    login: {
      summary: 'store a service and its key',
      load: async () => (await import('./commands/setup/login.ts')).login,
    },
    logout: {
      summary: 'forget a service, and end the key from the browser',
      load: async () => (await import('./commands/setup/login.ts')).logout,
    },
    context: {
      summary: 'list, select and remove stored services',
      load: async () => (await import('./commands/setup/login.ts')).context,
    },
    bridge: {
      summary: 'attach devices that speak Modbus, MQTT, LoRaWAN, HTTP or NMEA',
      survivesClosedOutput: true,
      load: async () => (await import('./commands/bridge/bridge.ts')).bridge,
    },
    people: {
      summary: 'list, invite and disable people',
      load: async () => (await import('./commands/setup/people.ts')).people,
    },
    keys: {
      summary: 'list, create, revoke and rotate API keys',
      load: async () => (await import('./commands/setup/keys.ts')).keys,
    },
    webhooks: {
      summary: 'list, add, test and remove webhooks',
      load: async () => (await import('./commands/setup/webhooks.ts')).webhooks,
    },
    'notification-rules': {
      summary: 'list, add, test and remove the rules that say which alerts reach whom',
      load: async () => (await import('./commands/setup/notification-rules.ts')).notificationRules,
    },
    apply: {
      summary: 'apply a document of a site',
      survivesClosedOutput: true,
      load: async () => (await import('./commands/setup/site.ts')).apply,
    },
    export: {
      summary: 'write the configuration or readings to a file',
      load: async () => (await import('./commands/setup/site.ts')).exportCommand,
    },
    completion: {
      summary: 'print a script for a shell',
      needsAll: true,
      load: async () => (await import('./commands/setup/completion.ts')).completion,
    },
  },
};

export const COMMANDS: readonly CommandEntry[] = Object.entries(GROUPS).flatMap(([group, entries]) =>
  Object.entries(entries).map(([name, entry]) => ({ name, group, ...entry })),
);
