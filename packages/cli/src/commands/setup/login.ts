import { ApiError, type Client, createClient } from '@granary/client';
import { keyFromBrowser } from '../../access/browser-login.ts';
import { type Context, contextsFile, readContexts, writeContexts } from '../../access/contexts.ts';
import { localUrl } from '../../access/service-access.ts';
import type { Define, Environment } from '../../program/environment.ts';
import { CommandFailure, EXIT, UsageError } from '../../program/explain.ts';
import { address, given, withExamples, withJson } from '../../program/options.ts';
import { outputOf } from '../../terminal/output.ts';
import type { Column } from '../../terminal/table.ts';

interface ContextValues {
  readonly json?: boolean;
}

/** The fields that are shown; the key itself is never shown. */
interface Shown {
  readonly name: string;
  readonly url: string;
  readonly is_current: boolean;
}

const COLUMNS: readonly Column<Shown>[] = [
  { title: 'CONTEXT', text: ({ name }) => name },
  { title: 'URL', text: ({ url }) => url },
  { title: 'CURRENT', text: ({ is_current }) => (is_current ? 'yes' : ''), tone: () => 'good' },
];

export const context: Define = (command, environment) => {
  const { env } = environment;
  command.description('Shows and selects the services that granary login has stored.');
  withJson(command.command('list', { isDefault: true }).summary('list the stored services')).action(
    ({ json }: ContextValues) => {
      const { current, contexts } = readContexts(env);
      const shown = Object.entries(contexts).map(([name, { url }]) => ({
        name,
        url,
        is_current: name === current,
      }));
      outputOf(environment, json).list(
        COLUMNS,
        shown,
        'There are no contexts; `granary login <url>` stores one.',
      );
    },
  );
  withJson(command.command('use').argument('<name>').summary('make one the current one')).action(
    (name: string, { json }: ContextValues) => {
      const { contexts } = readContexts(env);
      const { url } = stored(contexts, name, environment);
      writeContexts(env, { current: name, contexts });
      outputOf(environment, json).one({ name, url }, () => `${name} (${url}) is the current context.`);
    },
  );
  withJson(command.command('remove').argument('<name>').summary('forget one and its key')).action(
    (name: string, { json }: ContextValues) => {
      const { current, contexts } = readContexts(env);
      const { url } = stored(contexts, name, environment);
      const { [name]: _removed, ...others } = contexts;
      writeContexts(env, { current: current === name ? null : current, contexts: others });
      outputOf(environment, json).one(
        { name, url },
        () => `${name} is forgotten; its key is still valid at ${url}.`,
      );
    },
  );
  withExamples(command, 'granary context list', 'granary context use farm', 'granary devices --context farm');
};

function stored(contexts: Readonly<Record<string, Context>>, name: string, { env }: Environment): Context {
  const found = Object.hasOwn(contexts, name) ? contexts[name] : undefined;
  if (found !== undefined) return found;
  throw new UsageError(`${contextsFile(env)} has no context "${name}"`, {
    cure: '`granary context list` lists them.',
  });
}

interface Values {
  readonly web?: boolean;
  readonly name?: string;
  readonly siloSegment?: string;
  readonly fieldSegment?: string;
  readonly json?: boolean;
}

export const login: Define = (command, environment) => {
  command
    .argument('[url]', 'where the service answers (http://127.0.0.1:8080)')
    .description(
      'Stores a service and its API key as a context, readable by its owner only, and makes it the current one. The key is asked for without being shown, or read from the standard input; the service is asked whether the key is valid before anything is stored. With --web you sign in as yourself in the browser of this machine, and the command gets a key of yours, which granary logout ends.',
    )
    .option('--web', 'get a key of your own from the browser')
    .option('--name <name>', 'the name of the context (the host of the address)')
    .option('--silo-segment <segment>', 'the path of the silo scales, if the service has another one')
    .option('--field-segment <segment>', 'the path of the field devices, if the service has another one');
  withExamples(
    command,
    'granary login https://granary.example --web',
    'granary login https://granary.example --name farm',
    'granary login --name local < .granary/admin-key',
  );
  withJson(command).action(async (text: string | undefined, values: Values) => {
    const { env } = environment;
    const url = address(text ?? localUrl(env), 'the address', ['http:', 'https:']).replace(/\/+$/, '');
    const name = values.name ?? new URL(url).hostname;
    const apiKey = await (values.web === true
      ? keyFromBrowser(url, (link) => environment.printError(WEB_HINT(link)))
      : askKey(url, environment));
    const { siloSegment, fieldSegment } = values;
    const client = createClient({
      baseUrl: url,
      apiKey,
      timeLimitMs: 0,
      ...given({ siloSegment, fieldSegment }),
    });
    await client.fleet.devices({ limit: 1 });
    const context = {
      url,
      api_key: apiKey,
      ...given({ silo_segment: siloSegment, field_segment: fieldSegment }),
    };
    const { contexts } = readContexts(env);
    writeContexts(env, { current: name, contexts: { ...contexts, [name]: context } });
    const file = contextsFile(env);
    outputOf(environment, values.json).one(
      { name, url, file },
      () => `${name} (${url}) is the current context, kept in ${file}.`,
    );
  });
};

const WEB_HINT = (link: string): string =>
  `Open this link in a browser on this machine, sign in, and let the command in:\n\n  ${link}\n`;

export const logout: Define = (command, environment) => {
  command
    .description(
      'Forgets a stored service. A key that granary login --web got from the browser ends; other keys stay valid.',
    )
    .option('--context <name>', 'the stored service (the current one)');
  withExamples(command, 'granary logout', 'granary logout --context farm');
  withJson(command).action(async (values: ContextValues & { readonly context?: string }) => {
    const { env } = environment;
    const { current, contexts } = readContexts(env);
    const name = values.context ?? current;
    if (name === null)
      throw new UsageError('there is no current context', { cure: 'Name one with --context.' });
    const { url, api_key: apiKey } = stored(contexts, name, environment);
    const hasEnded = await endOwnKey(createClient({ baseUrl: url, apiKey, timeLimitMs: 0 }));
    const { [name]: _removed, ...others } = contexts;
    writeContexts(env, { current: current === name ? null : current, contexts: others });
    outputOf(environment, values.json).one({ name, url, key_ended: hasEnded }, () =>
      hasEnded
        ? `${name} is forgotten, and its key has ended.`
        : `${name} is forgotten; its key is still valid at ${url}.`,
    );
  });
};

/** Ends the key if it is one of a person. Returns whether the key has ended, also if it had ended before. */
async function endOwnKey(client: Client): Promise<boolean> {
  try {
    const { personal_key_id: keyId } = await client.session.get();
    if (keyId === null) return false;
    await client.me.revokeKey(keyId);
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'unauthorized') return true;
    throw error;
  }
}

async function askKey(url: string, { person, readInput }: Environment): Promise<string> {
  const key =
    person === undefined ? await readInput() : await person.askSecret(`API key for ${url} (is not shown): `);
  if (key === null)
    throw new CommandFailure('no key was given, and nothing is stored', { exitCode: EXIT.declined });
  const trimmed = key.trim();
  if (/^[\x21-\x7e]+$/.test(trimmed)) return trimmed;
  throw new CommandFailure('that is not an API key', {
    exitCode: EXIT.usage,
    cure: 'A key is one word; the first one is in admin-key in the data folder of the service.',
  });
}
