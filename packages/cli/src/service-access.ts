import { type Client, type ClientOptions, createClient } from '@granary/client/client';
import { address, type Environment, required } from './command.ts';

/** The options of every command that connects to a running service. */
export const ACCESS_OPTIONS = { url: { type: 'string' } } as const;

export const ACCESS_HELP = `  --url <address>   where the service answers (GRANARY_URL, or http://127.0.0.1:8080)

The API key is taken from the environment variable GRANARY_API_KEY.`;

const URL_DEFAULT = 'http://127.0.0.1:8080';

/** The key is read from the environment only, because every user of the machine can see a command line. */
export function serviceAccess(url: string | undefined, env: Environment['env']): ClientOptions {
  const siloSegment = env['GRANARY_SILO_SEGMENT'];
  const fieldSegment = env['GRANARY_FIELD_SEGMENT'];
  return {
    baseUrl: address(url ?? env['GRANARY_URL'] ?? URL_DEFAULT, '--url', ['http:', 'https:']),
    apiKey: required(
      env['GRANARY_API_KEY'],
      'the environment variable GRANARY_API_KEY',
      'the first admin key is in admin-key in the data folder, such as .granary/admin-key',
    ),
    ...(siloSegment === undefined ? {} : { siloSegment }),
    ...(fieldSegment === undefined ? {} : { fieldSegment }),
  };
}

export const accessClient = (url: string | undefined, env: Environment['env']): Client =>
  createClient(serviceAccess(url, env));
