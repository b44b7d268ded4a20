import { createInterface } from 'node:readline';
import type { AccessValues } from '../../access/service-access.ts';
import { serviceAccess } from '../../access/service-access.ts';
import type { Define } from '../../program/environment.ts';
import { withAccess, withExamples } from '../../program/options.ts';

const INTERNAL_ERROR = -32_603;
const PROTOCOL = 'io.modelcontextprotocol/protocolVersion';

interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: {
    readonly name?: unknown;
    readonly uri?: unknown;
    readonly _meta?: Readonly<Record<string, unknown>>;
  };
}

/** Speaks the protocol over standard input and output. Each line is sent to `/mcp` of the service, so both have the same tools and rights. */
export const mcp: Define = (command, environment) => {
  command.description(
    'Connects an agent that speaks the Model Context Protocol over standard input and output. Give it a key of its own: GRANARY_API_KEY.',
  );
  withExamples(command, 'GRANARY_API_KEY=gk_… granary mcp --url https://granary.example.com');
  withAccess(command).action(async (values: AccessValues) => {
    const { baseUrl, apiKey } = serviceAccess(values, environment.env);
    const url = `${baseUrl.replace(/\/+$/, '')}/mcp`;
    const forward = async (line: string): Promise<void> => {
      const message: Message = JSON.parse(line);
      const answer = await send(url, apiKey, message, line).catch((cause: Error) =>
        failureOf(message, cause.message),
      );
      if (answer !== null) environment.print(answer);
    };
    const underWay = new Set<Promise<void>>();
    for await (const line of createInterface({ input: process.stdin })) {
      if (line.trim() === '') continue;
      const work = forward(line).catch(({ message }: Error) =>
        environment.printError(`granary mcp: ${message}`),
      );
      underWay.add(work);
      void work.then(() => underWay.delete(work));
    }
    await Promise.all(underWay);
  });
};

/** Sends a message and returns the answer as one line; `null` if there is none. */
async function send(url: string, apiKey: string, message: Message, body: string): Promise<string | null> {
  const response = await fetch(url, {
    method: 'POST',
    body,
    headers: {
      authorization: `Bearer ${apiKey}`,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...headersOf(message),
    },
  });
  const text = await response.text();
  if (text === '') return null;
  const answer = JSON.parse(text);
  if (answer.jsonrpc === '2.0') return JSON.stringify(answer);
  return failureOf(message, answer.error?.message ?? `the service answers ${response.status}`);
}

/** The headers of a message: since 2026-07-28 they repeat parts of it. */
function headersOf({ method, params }: Message): Readonly<Record<string, string>> {
  const version = params?._meta?.[PROTOCOL];
  if (typeof version !== 'string' || method === undefined) return {};
  const name = params?.name ?? params?.uri;
  return {
    'mcp-protocol-version': version,
    'mcp-method': method,
    ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
  };
}

const failureOf = ({ id }: Message, message: string): string | null =>
  id === undefined
    ? null
    : JSON.stringify({ jsonrpc: '2.0', id, error: { code: INTERNAL_ERROR, message: `granary: ${message}` } });
