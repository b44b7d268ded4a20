import { ROLES, type Role } from '@granary/contract/keys';
import type { Invitation, Person } from '@granary/contract/people';
import type { Command } from 'commander';
import { type AccessValues, accessClient, asActor } from '../../access/service-access.ts';
import type { Define, Environment } from '../../program/environment.ts';
import { UsageError } from '../../program/explain.ts';
import { collect, withAccess, withExamples } from '../../program/options.ts';
import { age } from '../../program/times.ts';
import { outputOf } from '../../terminal/output.ts';
import type { Column } from '../../terminal/table.ts';

interface NewPersonValues extends AccessValues {
  readonly name: string;
  readonly role: string;
  readonly facility?: readonly string[];
}

const ROLE_NAMES = Object.keys(ROLES) as Role[];

const COLUMNS: readonly Column<Person>[] = [
  { title: 'LOGIN', text: ({ login }) => login },
  { title: 'NAME', text: ({ name }) => name },
  { title: 'ROLES', text: ({ grants }) => grants.map(grantText).join(', ') },
  { title: 'STATE', text: ({ state }) => state },
  { title: 'LAST USED', text: ({ last_used_at }) => age(last_used_at) },
];

const grantText = ({ role, facilities, device_ids }: Person['grants'][number]): string => {
  const places = [...(facilities ?? []), ...(device_ids ?? [])];
  return `${role}${places.length === 0 ? '' : ` (${places.join(', ')})`}`;
};

export const people: Define = (command, environment) => {
  command.description('Lists, invites and disables people. It takes a key with the scope admin.');
  defineList(command.command('list').summary('list the people and what they may do'), environment);
  defineAdd(command.command('add').summary('add a person, and print the code of the link'), environment);
  defineInvite(command.command('invite').summary('make a new link for a person'), environment);
  defineDisable(command.command('disable').summary('end every session of a person at once'), environment);
  withExamples(
    command,
    'granary people add ada --name "Ada Lovelace" --role operator --facility north',
    'granary people list',
    'granary people disable ada',
  );
};

function defineList(command: Command, environment: Environment): void {
  withAccess(command).action(async (values: AccessValues) => {
    const records = await Array.fromAsync(accessClient(values, environment.env).people.listAll());
    outputOf(environment, values.json).list(COLUMNS, records, 'There are no people.');
  });
}

function defineAdd(command: Command, environment: Environment): void {
  command
    .argument('<login>', 'the short name with which the person signs in')
    .requiredOption('--name <text>', 'the name in the records')
    .requiredOption('--role <role>', `one of ${ROLE_NAMES.join(', ')}`)
    .option('--facility <name>', 'the role holds only in this facility; may be repeated', collect);
  withAccess(command).action(async (login: string, values: NewPersonValues) => {
    const { name, role, facility } = values;
    const grant = { role: asRole(role), ...(facility === undefined ? {} : { facilities: [...facility] }) };
    const { env } = environment;
    const person = { login, name, grants: [grant] };
    showLink(await accessClient(values, env).people.invite(person, asActor(env)), values, environment);
  });
}

function defineInvite(command: Command, environment: Environment): void {
  withAccess(command.argument('<login>')).action(async (login: string, values: AccessValues) => {
    const { env } = environment;
    const client = accessClient(values, env);
    const { person_id: personId } = await personNamed(client.people.listAll(), login);
    showLink(await client.people.renew(personId, asActor(env)), values, environment);
  });
}

function defineDisable(command: Command, environment: Environment): void {
  withAccess(command.argument('<login>')).action(async (login: string, values: AccessValues) => {
    const { env } = environment;
    const client = accessClient(values, env);
    const { person_id: personId } = await personNamed(client.people.listAll(), login);
    const person = await client.people.disable(personId, asActor(env));
    outputOf(environment, values.json).one(person, () => `${person.login} (${person.name}) is disabled.`);
  });
}

async function personNamed(all: AsyncIterable<Person>, login: string): Promise<Person> {
  for await (const person of all) if (person.login === login) return person;
  throw new UsageError(`there is no person "${login}"; \`granary people list\` lists them`);
}

function showLink(invitation: Invitation, { json }: AccessValues, environment: Environment): void {
  const { person, code, expires_at } = invitation;
  const text = () =>
    `/#invite=${code}\n\nBehind the address of the service this is the link for ${person.name}. It works once, until ${expires_at}.`;
  outputOf(environment, json).one(invitation, text);
}

function asRole(text: string): Role {
  const role = ROLE_NAMES.find((known) => known === text);
  if (role === undefined)
    throw new UsageError(`--role: there is no "${text}"; there are ${ROLE_NAMES.join(', ')}`);
  return role;
}
