import type { BrokerConnection } from '../connection/broker-connection.ts';
import { BrokerRefusal } from '../connection/packets.ts';
import { type Answer, type Command, ControlError } from './control-requests.ts';
import { asAcls, hasRules, NODE_ROLE, NODE_RULES } from './topic-rules.ts';

type Send = (connection: BrokerConnection, commands: readonly Command[]) => Promise<readonly Answer[]>;

/** What the plugin must not allow by default, because every device could do it then. */
const DENIED = ['publishClientSend', 'subscribe'];

/** The rights of the service itself at the broker. Its user may control the plugin, so it gives itself the others. */
export class OwnRights {
  readonly #username: string;
  readonly #send: Send;

  constructor(username: string, send: Send) {
    this.#username = username;
    this.#send = send;
  }

  /**
   * Changes only what differs, because the broker ends all connections of a user whose rights change, also those of other nodes.
   * Rejects then, or if the broker lets devices do everything.
   */
  async ensure(connection: BrokerConnection): Promise<void> {
    const [access, role, client] = await this.#send(connection, [
      { command: 'getDefaultACLAccess' },
      { command: 'getRole', rolename: NODE_ROLE },
      { command: 'getClient', username: this.#username },
    ]);
    refuseOpenBroker(access);
    const { acls } = (role?.data?.['role'] ?? {}) as { acls?: unknown };
    const change = role?.error === undefined ? 'modifyRole' : 'createRole';
    if (!hasRules(acls, NODE_RULES))
      await this.#change(connection, { command: change, rolename: NODE_ROLE, acls: asAcls(NODE_RULES) });
    const { roles = [] } = (client?.data?.['client'] ?? {}) as { roles?: readonly { rolename?: unknown }[] };
    if (roles.some(({ rolename }) => rolename === NODE_ROLE)) return;
    const username = this.#username;
    await this.#change(connection, { command: 'addClientRole', username, rolename: NODE_ROLE, priority: 0 });
  }

  async #change(connection: BrokerConnection, command: Command): Promise<void> {
    const [answer] = await this.#send(connection, [command]);
    // Another node may have done the same meanwhile.
    if (answer?.error !== undefined && !answer.error.includes('already'))
      throw new ControlError(`the broker refuses ${command.command}: ${answer.error}`);
  }
}

function refuseOpenBroker(access: Answer | undefined): void {
  const acls = access?.data?.['acls'];
  const open = (Array.isArray(acls) ? acls : []).flatMap(({ acltype, allow }) =>
    allow === true && DENIED.includes(acltype) ? [String(acltype)] : [],
  );
  if (open.length === 0) return;
  throw new BrokerRefusal(
    `the broker allows everybody everything; set its defaultACLAccess to deny ${open.join(' and ')}`,
  );
}
