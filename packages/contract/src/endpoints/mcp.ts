import { Type } from 'typebox';
import { checker, closed } from '../input/schema.ts';
import { empty, plain } from './declaration/answers.ts';
import { body, endpoint } from './declaration/endpoint.ts';
import type { Slice } from './declaration/slice.ts';

const jsonrpc = Type.Literal('2.0');
const Id = Type.Union([Type.String({ maxLength: 200 }), Type.Number()]);

/** A request or a notification of JSON-RPC; the specification of the Model Context Protocol describes its contents. */
const McpRequest = closed({
  jsonrpc,
  id: Type.Optional(Id),
  method: Type.String({ maxLength: 200 }),
  params: Type.Optional(Type.Unknown()),
});

const McpAnswer = closed({
  jsonrpc,
  id: Type.Optional(Type.Union([Id, Type.Null()])),
  result: Type.Optional(Type.Unknown()),
  error: Type.Optional(Type.Unknown()),
});

/** A stop is urgent even if an agent asks for it. */
const CALLS_STOP = { method: ['tools/call'], 'params.name': ['operations_stop', 'commands_emergency_stop'] };

const endpoints = {
  /** Every call of a tool is handled as a request of its own, with its scope, its limits and its entry in the audit log. */
  call: endpoint('service', 'POST', '/mcp', {
    summary: 'Answers agents: the Model Context Protocol over HTTP, without sessions and streams.',
    needsKey: true,
    isAudited: false,
    isUrgent: CALLS_STOP,
    body: body(checker(McpRequest), 'message'),
    // The protocol defines statuses for some faults of a message and, since 2026-07-28, for an unknown method.
    answers: { 200: plain(McpAnswer), 202: empty(), 400: plain(McpAnswer), 404: plain(McpAnswer) },
    examples: [
      {
        summary: 'the tools that the key may use',
        body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      },
    ],
  }),
};

export const mcp = {
  description: 'Tools for agents, by the Model Context Protocol.',
  endpoints,
} satisfies Slice;
