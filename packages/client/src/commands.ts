import type { CommandQuery, CommandRecord, CommandRequest } from '@granary/contract/commands';
import type { Page } from '@granary/contract/envelope';
import { devicePath, type GroupRoots } from './devices.ts';
import { everyItem, type PageRequest } from './pages.ts';
import { type Repeatable, repeatable } from './repeatable.ts';
import type { Transport } from './transport.ts';

export type CommandFilter = Pick<CommandQuery, 'status' | 'command'>;

export interface CommandsClient {
  /** Answers once it is on its way, or waits to be. What becomes of it shows in its status. */
  give(deviceId: string, request: CommandRequest, options?: Repeatable): Promise<CommandRecord>;
  get(deviceId: string, commandId: string): Promise<CommandRecord>;
  /** Newest first. */
  list(deviceId: string, filter?: CommandFilter & PageRequest): Promise<Page<CommandRecord>>;
  /** Every command, page after page. */
  listAll(deviceId: string, filter?: CommandFilter): AsyncGenerator<CommandRecord, void, undefined>;
}

export function commandsClient(transport: Transport, roots: GroupRoots): CommandsClient {
  const root = (deviceId: string) => `${devicePath(roots.field, deviceId)}/remote`;
  const list: CommandsClient['list'] = (deviceId, filter = {}) =>
    transport.page({ method: 'GET', path: `${root(deviceId)}/commands`, query: { ...filter } });

  return {
    give: (deviceId, body, options) =>
      transport.data({
        method: 'POST',
        path: `${root(deviceId)}/command`,
        body,
        headers: repeatable(options),
      }),
    get: (deviceId, commandId) =>
      transport.data({ method: 'GET', path: `${root(deviceId)}/commands/${encodeURIComponent(commandId)}` }),
    list,
    listAll: (deviceId, filter = {}) => everyItem((page) => list(deviceId, { ...filter, ...page })),
  };
}
