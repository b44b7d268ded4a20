import type { Define } from './program/environment.ts';

export interface CommandEntry {
  readonly name: string;
  readonly alias?: string;
  readonly summary: string;
  readonly group: string;
  /** True when the command continues after the reader of its output has left, because it moves something or serves others. */
  readonly survivesClosedOutput?: true;
  /** True when the command needs all other commands. */
  readonly needsAll?: true;
  /** Loads the command. Only the command that runs is loaded, so that listing keys does not load a database. */
  readonly load: () => Promise<Define>;
}

const SERVICE = 'Service:';
const DEVICES = 'Devices:';
const RECORDS = 'Records:';
const SETUP = 'Access and configuration:';

export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'up',
    alias: 'demo',
    summary: 'start the service with a simulated farm',
    group: SERVICE,
    survivesClosedOutput: true,
    load: async () => (await import('./commands/service/up.ts')).up,
  },
  {
    name: 'serve',
    summary: 'start the service',
    group: SERVICE,
    survivesClosedOutput: true,
    load: async () => (await import('./commands/service/serve.ts')).serve,
  },
  {
    name: 'simulate',
    summary: 'run the simulated farm against a running service',
    group: SERVICE,
    survivesClosedOutput: true,
    load: async () => (await import('./commands/service/simulate.ts')).simulate,
  },
  {
    name: 'remove-demo',
    summary: 'remove the simulated devices, and no others',
    group: SERVICE,
    survivesClosedOutput: true,
    load: async () => (await import('./commands/service/remove-demo.ts')).removeDemo,
  },
  {
    name: 'backup',
    summary: 'copy the database into a file, also while the service runs',
    group: SERVICE,
    survivesClosedOutput: true,
    load: async () => (await import('./commands/service/backup.ts')).backup,
  },
  {
    name: 'restore',
    summary: 'make a backup the database again',
    group: SERVICE,
    survivesClosedOutput: true,
    load: async () => (await import('./commands/service/backup.ts')).restore,
  },
  {
    name: 'migrate',
    summary: 'copy the embedded store to PostgreSQL',
    group: SERVICE,
    survivesClosedOutput: true,
    load: async () => (await import('./commands/service/migrate.ts')).migrate,
  },
  {
    name: 'console',
    summary: "print a link to the operators' page that signs in once",
    group: SERVICE,
    load: async () => (await import('./commands/service/console.ts')).consoleLink,
  },
  {
    name: 'mcp',
    summary: 'connect an agent over standard input',
    group: SERVICE,
    load: async () => (await import('./commands/service/mcp.ts')).mcp,
  },
  {
    name: 'doctor',
    summary: 'look for what is wrong, with its cure',
    group: SERVICE,
    load: async () => (await import('./commands/service/doctor.ts')).doctor,
  },
  {
    name: 'devices',
    summary: 'list devices',
    group: DEVICES,
    load: async () => (await import('./commands/devices/devices.ts')).devices,
  },
  {
    name: 'device',
    summary: 'show, watch, add, edit and remove one device; its connection',
    group: DEVICES,
    load: async () => (await import('./commands/devices/device.ts')).device,
  },
  {
    name: 'feed',
    summary: 'put material into a silo',
    group: DEVICES,
    survivesClosedOutput: true,
    load: async () => (await import('./commands/jobs/feed.ts')).feed,
  },
  {
    name: 'discharge',
    summary: 'take material out of a silo',
    group: DEVICES,
    survivesClosedOutput: true,
    load: async () => (await import('./commands/jobs/feed.ts')).discharge,
  },
  {
    name: 'stop',
    summary: 'stop what moves',
    group: DEVICES,
    survivesClosedOutput: true,
    load: async () => (await import('./commands/jobs/stop.ts')).stop,
  },
  {
    name: 'release',
    summary: 'release an emergency stop',
    group: DEVICES,
    load: async () => (await import('./commands/jobs/command.ts')).release,
  },
  {
    name: 'command',
    summary: 'move, hold, return a rover or drone; scan and sample',
    group: DEVICES,
    load: async () => (await import('./commands/jobs/command.ts')).command,
  },
  {
    name: 'config',
    summary: 'show and change the configuration of a device',
    group: DEVICES,
    load: async () => (await import('./commands/devices/config.ts')).config,
  },
  {
    name: 'maintenance',
    summary: 'begin and end the maintenance of a device',
    group: DEVICES,
    load: async () => (await import('./commands/devices/maintenance.ts')).maintenance,
  },
  {
    name: 'forecast',
    summary: 'when silos run empty, and by when to order',
    group: RECORDS,
    load: async () => (await import('./commands/foresight/forecast.ts')).forecast,
  },
  {
    name: 'backtest',
    summary: 'replay the weights of a silo, and compare its forecasts with what happened',
    group: RECORDS,
    load: async () => (await import('./commands/foresight/backtest.ts')).backtest,
  },
  {
    name: 'orders',
    summary: 'what to order, for which silos and by when',
    group: RECORDS,
    load: async () => (await import('./commands/foresight/forecast.ts')).orders,
  },
  {
    name: 'refills',
    summary: 'list the refills of silos',
    group: RECORDS,
    load: async () => (await import('./commands/foresight/forecast.ts')).refills,
  },
  {
    name: 'history',
    summary: 'show what a sensor measured',
    group: RECORDS,
    load: async () => (await import('./commands/records/history.ts')).history,
  },
  {
    name: 'alerts',
    summary: 'list alerts',
    group: RECORDS,
    load: async () => (await import('./commands/records/alerts.ts')).alerts,
  },
  {
    name: 'ack',
    summary: 'acknowledge alerts',
    group: RECORDS,
    load: async () => (await import('./commands/records/alerts.ts')).ack,
  },
  {
    name: 'shelve',
    summary: 'take an alert out of the list for a while',
    group: RECORDS,
    load: async () => (await import('./commands/records/alerts.ts')).shelve,
  },
  {
    name: 'unshelve',
    summary: 'put a shelved alert back',
    group: RECORDS,
    load: async () => (await import('./commands/records/alerts.ts')).unshelve,
  },
  {
    name: 'operations',
    summary: 'list feeds and discharges',
    group: RECORDS,
    load: async () => (await import('./commands/records/operations.ts')).operations,
  },
  {
    name: 'proposals',
    summary: 'list, confirm and refuse operations that agents propose',
    group: RECORDS,
    load: async () => (await import('./commands/records/proposals.ts')).proposals,
  },
  {
    name: 'missions',
    summary: 'list missions; create, show, pause, resume and cancel one',
    group: RECORDS,
    load: async () => (await import('./commands/records/missions.ts')).missions,
  },
  {
    name: 'report',
    summary: 'show stock, use, orders and alerts of a day, a week or a month',
    group: RECORDS,
    load: async () => (await import('./commands/records/report.ts')).report,
  },
  {
    name: 'note',
    summary: 'list, write and remove notes on devices and facilities',
    group: RECORDS,
    load: async () => (await import('./commands/records/shifts.ts')).note,
  },
  {
    name: 'handover',
    summary: 'list, write and acknowledge what one shift tells the next one',
    group: RECORDS,
    load: async () => (await import('./commands/records/shifts.ts')).handover,
  },
  {
    name: 'events',
    summary: 'follow the event log',
    group: RECORDS,
    load: async () => (await import('./commands/records/events.ts')).events,
  },
  {
    name: 'audit',
    summary: 'list who changed what',
    group: RECORDS,
    load: async () => (await import('./commands/records/events.ts')).audit,
  },
  {
    name: 'login',
    summary: 'store a service and its key',
    group: SETUP,
    load: async () => (await import('./commands/setup/login.ts')).login,
  },
  {
    name: 'logout',
    summary: 'forget a service, and end the key from the browser',
    group: SETUP,
    load: async () => (await import('./commands/setup/login.ts')).logout,
  },
  {
    name: 'context',
    summary: 'list, select and remove stored services',
    group: SETUP,
    load: async () => (await import('./commands/setup/login.ts')).context,
  },
  {
    name: 'bridge',
    summary: 'attach devices that speak Modbus, MQTT, LoRaWAN, HTTP or NMEA',
    group: SETUP,
    survivesClosedOutput: true,
    load: async () => (await import('./commands/bridge/bridge.ts')).bridge,
  },
  {
    name: 'people',
    summary: 'list, invite and disable people',
    group: SETUP,
    load: async () => (await import('./commands/setup/people.ts')).people,
  },
  {
    name: 'keys',
    summary: 'list, create, revoke and rotate API keys',
    group: SETUP,
    load: async () => (await import('./commands/setup/keys.ts')).keys,
  },
  {
    name: 'webhooks',
    summary: 'list, add, test and remove webhooks',
    group: SETUP,
    load: async () => (await import('./commands/setup/webhooks.ts')).webhooks,
  },
  {
    name: 'notification-rules',
    summary: 'list, add, test and remove the rules that say which alerts reach whom',
    group: SETUP,
    load: async () => (await import('./commands/setup/notification-rules.ts')).notificationRules,
  },
  {
    name: 'apply',
    summary: 'apply a document of a site',
    group: SETUP,
    survivesClosedOutput: true,
    load: async () => (await import('./commands/setup/site.ts')).apply,
  },
  {
    name: 'export',
    summary: 'write the configuration or readings to a file',
    group: SETUP,
    load: async () => (await import('./commands/setup/site.ts')).exportCommand,
  },
  {
    name: 'completion',
    summary: 'print a script for a shell',
    group: SETUP,
    needsAll: true,
    load: async () => (await import('./commands/setup/completion.ts')).completion,
  },
];
