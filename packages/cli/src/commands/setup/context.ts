import { type Context, contextsFile, readContexts, writeContexts } from '../../access/contexts.ts';
import type { Define, Environment } from '../../frame/environment.ts';
import { UsageError } from '../../frame/failures.ts';
import { withExamples, withJson } from '../../frame/options.ts';
import { outputOf } from '../../terminal/output.ts';
import type { Column } from '../../terminal/table.ts';

interface Values {
  readonly json?: boolean;
}

/** The key itself is never shown. */
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
    ({ json }: Values) => {
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
    (name: string, { json }: Values) => {
      const { contexts } = readContexts(env);
      const { url } = stored(contexts, name, environment);
      writeContexts(env, { current: name, contexts });
      outputOf(environment, json).one({ name, url }, () => `${name} (${url}) is the current context.`);
    },
  );
  withJson(command.command('remove').argument('<name>').summary('forget one and its key')).action(
    (name: string, { json }: Values) => {
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
