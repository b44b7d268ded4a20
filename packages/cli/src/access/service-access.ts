import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { ApiError, type Client, type ClientOptions, createClient, UnreachableError } from '@granary/client';
import type { Actor } from '@granary/contract/audit';
import { readAddresses } from '@granary/server/process/addresses-file';
import type { Environment } from '../program/environment.ts';
import { CommandFailure, EXIT } from '../program/explain.ts';
import { address } from '../program/options.ts';
import { type Context, type Contexts, contextsFile, readContexts } from './contexts.ts';

/** The name of the person at this terminal, for the audit log and for acknowledgements; cron and containers set no such variable. */
export const personName = (env: Environment['env']): string | undefined =>
  [env['GRANARY_ACTOR'], env['USER'], env['LOGNAME'], env['USERNAME'], systemName()].find(
    (name) => name !== undefined && name.trim() !== '',
  );

function systemName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    // The system does not know the user, for example in a container with any user id.
    return undefined;
  }
}

/** The options of a call that changes something. */
export function asActor(env: Environment['env']): { readonly actor?: string } {
  const actor = personName(env);
  return actor === undefined ? {} : { actor };
}

/** The person, or the name of the key if no person is named, and who confirmed the request. */
export function whoText(who: Actor | null): string {
  if (who === null) return '-';
  const name = who.actor ?? who.key_name;
  return who.confirmed_by === undefined ? name : `${name}, confirmed by ${who.confirmed_by.name}`;
}

const LOWEST_SERVER_STATUS = 500;
const LIMITED = 429;

/** True if the service may answer later: it cannot be reached, restarts, or is busy. */
export const isPassing = (failure: unknown): boolean =>
  failure instanceof UnreachableError ||
  (failure instanceof ApiError && (failure.status >= LOWEST_SERVER_STATUS || failure.status === LIMITED));

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

type Env = Environment['env'];

/** The options that select the service, as commander stores them. */
export interface AccessValues {
  readonly url?: string;
  readonly context?: string;
  readonly json?: boolean;
}

/** The time limit is short because a person waits, so a service that is down is reported soon. */
const CALL_TIME_LIMIT_MS = 5_000;
/** With this time limit a command that repeats its calls by itself soon says what it waits for. */
const REPEATED_CALL_TIME_LIMIT_MS = 2_000;
const PORT_DEFAULT = '8080';
const DATA_DIR_DEFAULT = '.granary';
const LOCAL_HOSTS = ['127.0.0.1', 'localhost', '[::1]'];

/** A service and the key for it. */
export interface ServiceAccess extends ClientOptions {
  readonly apiKey: string;
}

/**
 * The service and the key, from the first of these: `--context`; `--url` or the environment; the context of the environment;
 * the current context; the service on this machine with the address and the admin key of its data folder. A key is never
 * sent to another service than the one it was stored for.
 */
export function serviceAccess(values: AccessValues, env: Env): ServiceAccess {
  const stored = readContexts(env);
  if (values.context !== undefined) return optionsOf(named(stored, values.context, '--context', env), env);
  const url = values.url ?? given(env, 'GRANARY_URL');
  const apiKey = given(env, 'GRANARY_API_KEY');
  if (url !== undefined || apiKey !== undefined)
    return withoutContext(url ?? localUrl(env), apiKey, stored, env);
  const name = given(env, 'GRANARY_CONTEXT');
  if (name !== undefined) return optionsOf(named(stored, name, 'GRANARY_CONTEXT', env), env);
  if (stored.current !== null)
    return optionsOf(named(stored, stored.current, 'the current context', env), env);
  return withoutContext(localUrl(env), undefined, stored, env);
}

export const accessClient = (values: AccessValues, env: Env): Client =>
  createClient({ ...serviceAccess(values, env), timeLimitMs: CALL_TIME_LIMIT_MS });

/** A client for commands that repeat their calls: after its restart the service may have another address. */
export const repeatingClient = (values: AccessValues, env: Env): Client =>
  createClient({ ...serviceAccess(values, env), timeLimitMs: REPEATED_CALL_TIME_LIMIT_MS });

export const dataDirOf = (env: Env): string => given(env, 'GRANARY_DATA_DIR') ?? DATA_DIR_DEFAULT;

/** The address of the service of the data folder; if none runs, the address by its settings. */
export const localUrl = (env: Env): string => {
  const port = given(env, 'GRANARY_HTTP_PORT') ?? PORT_DEFAULT;
  const bySettings = `http://127.0.0.1:${/^[1-9]\d*$/.test(port) ? port : PORT_DEFAULT}`;
  return runningUrl(env) ?? bySettings;
};

function runningUrl(env: Env): string | null {
  const addresses = readAddresses(dataDirOf(env));
  return addresses === null ? null : (addresses.http ?? addresses.https);
}

const given = (env: Env, name: string): string | undefined => (env[name] === '' ? undefined : env[name]);

function withoutContext(url: string, apiKey: string | undefined, stored: Contexts, env: Env): ServiceAccess {
  const baseUrl = address(url, '--url', ['http:', 'https:']);
  const context = Object.values(stored.contexts).find((one) => isSameService(one.url, baseUrl));
  if (apiKey === undefined && context !== undefined) return optionsOf(context, env);
  return optionsOf({ url: baseUrl, api_key: apiKey ?? localAdminKey(baseUrl, env) }, env);
}

const isSameService = (one: string, other: string): boolean =>
  URL.canParse(one) && new URL(one).href.replace(/\/+$/, '') === new URL(other).href.replace(/\/+$/, '');

function named({ contexts }: Contexts, name: string, from: string, env: Env): Context {
  const context = Object.hasOwn(contexts, name) ? contexts[name] : undefined;
  if (context !== undefined) return context;
  const known = Object.keys(contexts);
  const cure = known.length === 0 ? '`granary login <url>` stores one.' : `There are ${known.join(', ')}.`;
  throw new CommandFailure(`${from}: ${contextsFile(env)} has no context "${name}"`, {
    exitCode: EXIT.usage,
    cure,
  });
}

/**
 * Each call is sent once, so that a person does not wait half a minute to read that the service is down. Commands that must not
 * give up repeat by themselves.
 */
const optionsOf = ({ url, api_key, silo_segment, field_segment }: Context, env: Env): ServiceAccess => {
  const siloSegment = silo_segment ?? given(env, 'GRANARY_SILO_SEGMENT');
  const fieldSegment = field_segment ?? given(env, 'GRANARY_FIELD_SEGMENT');
  return {
    baseUrl: url,
    apiKey: api_key,
    timeLimitMs: 0,
    ...(siloSegment === undefined ? {} : { siloSegment }),
    ...(fieldSegment === undefined ? {} : { fieldSegment }),
  };
};

/** The key is used only for a service on this machine, because any other service does not accept it. */
function localAdminKey(baseUrl: string, env: Env): string {
  const file = join(dataDirOf(env), 'admin-key');
  const isLocal = LOCAL_HOSTS.includes(new URL(baseUrl).hostname) || baseUrl === runningUrl(env);
  try {
    if (isLocal) return readFileSync(file, 'utf8').trim();
  } catch (cause) {
    throw noKey(baseUrl, `there is no ${file} either`, cause);
  }
  throw noKey(baseUrl, 'the key of the data folder is for this machine only');
}

const noKey = (baseUrl: string, why: string, cause?: unknown): CommandFailure =>
  new CommandFailure(`there is no API key for ${baseUrl} (${why})`, {
    exitCode: EXIT.usage,
    cure: '`granary login` stores one, GRANARY_API_KEY sets it for one command; in the folder of `granary up` none is needed.',
    cause,
  });
