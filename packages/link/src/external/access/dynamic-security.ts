import { DOWN_SUBJECTS, topicOf, UP_SUBJECTS } from '@granary/contract/link/messages';
import type { BrokerAccess } from '../connection/broker-address.ts';
import type { BrokerConnection } from '../connection/broker-connection.ts';
import { Dialer } from '../connection/broker-connection.ts';
import { KeptConnection } from '../connection/kept-connection.ts';
import { MessageReader } from '../connection/message-reader.ts';
import { BrokerRefusal } from '../connection/packets.ts';
import { EXTERNAL_LIMITS, type ExternalLimits } from '../limits.ts';
import {
  type Answer,
  type Command,
  ControlError,
  ControlRequests,
  RESPONSE_TOPIC,
} from './control-requests.ts';

const DEVICE_ROLE_PREFIX = 'granary-device:';
const NODE_ROLE = 'granary-node';
const OWN_TOPICS = 'granary/#';
/** The rights that the nodes of the service need in addition to the right to control the plugin. */
const NODE_RULES: readonly TopicRule[] = [
  { acltype: 'publishClientSend', topic: OWN_TOPICS },
  { acltype: 'publishClientReceive', topic: OWN_TOPICS },
  { acltype: 'subscribePattern', topic: OWN_TOPICS },
  { acltype: 'unsubscribePattern', topic: OWN_TOPICS },
];
/** The rights that the plugin must not give by default, because every device would have them. */
const DENIED = ['publishClientSend', 'subscribe'];
/** The mark of the clients that the service has made; all others are not changed. */
const TEXT_NAME = 'device of Granary';
/** The limit of names in a page, so that a page of the longest names is shorter than the longest packet. */
const PAGE_SIZE = 200;
/** The limit of requests that wait for the broker; each may take the broker some hundred milliseconds. */
const PENDING_MAX = 20;

/** A right in a role of the dynamic security plugin of Mosquitto. */
export interface TopicRule {
  readonly acltype:
    | 'publishClientSend'
    | 'publishClientReceive'
    | 'subscribeLiteral'
    | 'subscribePattern'
    | 'unsubscribeLiteral'
    | 'unsubscribePattern';
  readonly topic: string;
}

/** Each device has its own role, because the plugin does not replace user names in the topics of a role. */
export const deviceRole = (deviceId: string): string => `${DEVICE_ROLE_PREFIX}${deviceId}`;

/** Returns the device of a role; `null` for a role that is not of a device. */
export const deviceOfRole = (role: string): string | null =>
  role.startsWith(DEVICE_ROLE_PREFIX) ? role.slice(DEVICE_ROLE_PREFIX.length) : null;

/** Returns the rights of a device: its topics are those of the embedded broker. */
export const deviceRules = (deviceId: string): TopicRule[] => [
  ...UP_SUBJECTS.map((subject) => ({
    acltype: 'publishClientSend' as const,
    topic: topicOf(deviceId, subject),
  })),
  ...DOWN_SUBJECTS.flatMap((subject) =>
    (['subscribeLiteral', 'unsubscribeLiteral', 'publishClientReceive'] as const).map((acltype) => ({
      acltype,
      topic: topicOf(deviceId, subject),
    })),
  ),
];

/** Returns the rules in the form of the plugin. They need no higher priority than a rule that was added by hand. */
export const asAcls = (rules: readonly TopicRule[]): object[] =>
  rules.map((rule) => ({ ...rule, priority: 0, allow: true }));

/** Returns whether a role has exactly these rules. */
export function hasRules(acls: unknown, rules: readonly TopicRule[]): boolean {
  if (!Array.isArray(acls) || acls.length !== rules.length) return false;
  const wanted = new Set(rules.map(({ acltype, topic }) => `${acltype} ${topic}`));
  return acls.every(({ acltype, topic, allow }) => allow === true && wanted.delete(`${acltype} ${topic}`));
}

/** A device as the broker knows it. */
export interface KnownClient {
  readonly deviceId: string;
  /** The hash of the secret that the broker was given. */
  readonly secretHash: string;
}

export interface GivenSecret extends KnownClient {
  readonly secret: string;
}

interface DynamicSecurityOptions {
  readonly broker: BrokerAccess;
  readonly nodeName: string;
  readonly limits?: ExternalLimits;
  /** Is called with `null` when the plugin can be used, otherwise with the reason. */
  readonly changed: (error: Error | null) => void;
}

/**
 * The clients and roles of devices in the dynamic security plugin of Mosquitto. The plugin keeps its own hashes, so a password
 * can be given to it only when the password is created. The description of a client has the hash that the service has stored;
 * it shows later whether both know the same secret.
 */
export class DynamicSecurity {
  readonly #requests = new ControlRequests();
  readonly #connection: KeptConnection;

  constructor({ broker, nodeName, limits = EXTERNAL_LIMITS, changed }: DynamicSecurityOptions) {
    const dialer = new Dialer(broker, limits);
    const rights = new OwnRights(broker.username ?? '', (connection, commands) =>
      this.#requests.send(connection, commands),
    );
    let reader: MessageReader;
    this.#connection = new KeptConnection({
      limits,
      open: (closed) => {
        reader = new MessageReader(async ({ payload }) => this.#requests.received(payload.toString()));
        const login = { clientId: `${nodeName}:access`, keepsSession: false };
        return dialer.open(login, { message: reader.message, closed });
      },
      prepare: async (connection) => {
        reader.attach(connection);
        await connection.subscribe([RESPONSE_TOPIC], true);
        await rights.ensure(connection);
      },
      mayOpen: () => true,
      changed,
    });
  }

  get isReady(): boolean {
    return this.#connection.ready !== null;
  }

  /** True if so many requests wait that a further one might not be answered in time. */
  get isBusy(): boolean {
    return this.#requests.pending >= PENDING_MAX;
  }

  start(): Promise<void> {
    return this.#connection.start();
  }

  stop(): void {
    this.#connection.stop();
  }

  /** Finds a client: `null` if the broker has none of this name; `foreign` if it has one that the service has not made. */
  async find(deviceId: string): Promise<KnownClient | 'foreign' | null> {
    const [answer] = await this.#send([{ command: 'getClient', username: deviceId }]);
    if (answer?.error === 'Client not found') return null;
    return asKnown(succeeded(answer).data?.['client']) ?? 'foreign';
  }

  /** Lets the device log in with this secret only; its connection with an older one ends. */
  async give(given: GivenSecret): Promise<void> {
    const { deviceId, secret, secretHash } = given;
    const rolename = deviceRole(deviceId);
    const client = {
      username: deviceId,
      clientid: deviceId,
      password: secret,
      textname: TEXT_NAME,
      textdescription: secretHash,
      roles: [{ rolename, priority: 0 }],
    };
    const [role, created] = await this.#send([
      { command: 'createRole', rolename, textname: TEXT_NAME, acls: asAcls(deviceRules(deviceId)) },
      { command: 'createClient', ...client },
    ]);
    if (role?.error !== 'Role already exists') succeeded(role);
    if (created?.error !== 'Client already exists') {
      succeeded(created);
      return;
    }
    if ((await this.find(deviceId)) === 'foreign')
      throw new ControlError(`the broker has a client ${deviceId} that the service has not made`);
    const answers = await this.#send([
      { command: 'modifyClient', ...client },
      { command: 'enableClient', username: deviceId },
    ]);
    for (const answer of answers) succeeded(answer);
  }

  /** Removes the device: it can no longer log in, and its connection ends. */
  async remove(deviceId: string): Promise<void> {
    if ((await this.find(deviceId)) !== 'foreign') {
      const [client] = await this.#send([{ command: 'deleteClient', username: deviceId }]);
      if (client?.error !== 'Client not found') succeeded(client);
    }
    await this.removeRole(deviceId);
  }

  async removeRole(deviceId: string): Promise<void> {
    const [role] = await this.#send([{ command: 'deleteRole', rolename: deviceRole(deviceId) }]);
    if (role?.error !== 'Role not found') succeeded(role);
  }

  /** Lists the devices that the broker knows. A change during the listing may hide a device or list it twice. */
  async clients(): Promise<Map<string, KnownClient>> {
    const clients = await this.#pages('listClients', 'clients');
    return new Map(
      clients.flatMap((client) => {
        const known = asKnown(client);
        return known === null ? [] : [[known.deviceId, known]];
      }),
    );
  }

  /** Lists the devices that have a role; the value is `false` if the role does not have the rules of this version. */
  async roles(): Promise<Map<string, boolean>> {
    const roles = await this.#pages('listRoles', 'roles');
    return new Map(
      roles.flatMap(({ rolename, acls }) => {
        const deviceId = deviceOfRole(String(rolename));
        return deviceId === null ? [] : [[deviceId, hasRules(acls, deviceRules(deviceId))]];
      }),
    );
  }

  async correctRole(deviceId: string): Promise<void> {
    const [answer] = await this.#send([
      { command: 'modifyRole', rolename: deviceRole(deviceId), acls: asAcls(deviceRules(deviceId)) },
    ]);
    succeeded(answer);
  }

  async #pages(command: string, field: string): Promise<Readonly<Record<string, unknown>>[]> {
    const items: Readonly<Record<string, unknown>>[] = [];
    for (;;) {
      const [answer] = await this.#send([{ command, verbose: true, count: PAGE_SIZE, offset: items.length }]);
      const page = succeeded(answer).data?.[field];
      if (!Array.isArray(page)) throw new ControlError(`the broker answers ${command} in an unknown form`);
      items.push(...page);
      if (page.length < PAGE_SIZE) return items;
    }
  }

  async #send(commands: readonly Command[]): Promise<readonly Answer[]> {
    const connection: BrokerConnection | null = this.#connection.ready;
    if (connection === null) throw new ControlError('not connected to the broker');
    return await this.#requests.send(connection, commands);
  }
}

function succeeded(answer: Answer | undefined): Answer {
  if (answer === undefined) throw new ControlError('the broker has answered another command');
  if (answer.error !== undefined)
    throw new ControlError(`the broker refuses ${answer.command}: ${answer.error}`);
  return answer;
}

function asKnown(client: unknown): KnownClient | null {
  if (typeof client !== 'object' || client === null) return null;
  const { username, textname, textdescription } = client as Readonly<Record<string, unknown>>;
  if (textname !== TEXT_NAME) return null;
  return { deviceId: String(username), secretHash: String(textdescription) };
}

type Send = (connection: BrokerConnection, commands: readonly Command[]) => Promise<readonly Answer[]>;

/** The rights of the service itself at the broker. Its user may control the plugin, so the service gives itself the other rights. */
class OwnRights {
  readonly #username: string;
  readonly #send: Send;

  constructor(username: string, send: Send) {
    this.#username = username;
    this.#send = send;
  }

  /**
   * Changes only rights that differ, because the broker ends all connections of a user whose rights change, including those of
   * other nodes. Rejects after a change, and if the broker lets devices do everything.
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
    // Another node may have done the same at the same time.
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
