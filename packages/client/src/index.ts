export type { Page } from '@granary/contract/envelope';
export type { ErrorCode } from '@granary/contract/errors';
export type { EventReset, EventType, LoggedEvent } from '@granary/contract/events';
export { type Client, type ClientOptions, createClient } from './client.ts';
export type { Versioned } from './configuration.ts';
export { ApiError, type KnownOrNewerCode, UnreachableError } from './failures.ts';
export type { CallOptions } from './requests/call.ts';
export type { ConnectionChange, EventFilter, StreamItem } from './streams/events.ts';
