import { ApiError } from '@granary/client/failures';
import { UsageError } from './command.ts';

export interface Explanation {
  readonly lines: readonly string[];
  readonly exitCode: number;
}

/** Turns an error into readable lines and an exit code; the stack is shown only when debugging. */
export function explain(failure: unknown, withStack: boolean): Explanation {
  const exitCode = failure instanceof UsageError ? 2 : 1;
  if (withStack && failure instanceof Error) return { lines: [`granary: ${failure.stack}`], exitCode };
  if (!(failure instanceof Error)) return { lines: [`granary: ${String(failure)}`], exitCode };
  return {
    lines: [`granary: ${headline(failure)}`, ...detailsOf(failure).map((detail) => `  ${detail}`)],
    exitCode,
  };
}

function headline(failure: Error): string {
  if (hasFaults(failure)) return 'these settings are not usable:';
  if (!(failure instanceof ApiError)) return failure.message;
  return `${failure.message} (${failure.status} ${failure.code})`;
}

function detailsOf(failure: Error): readonly string[] {
  if (hasFaults(failure)) return failure.faults;
  return failure instanceof ApiError ? failure.details.map(({ path, message }) => `${path} ${message}`) : [];
}

/** Recognises a `SettingsError` by its shape, so that commands of a client do not load the server. */
function hasFaults(failure: Error): failure is Error & { readonly faults: readonly string[] } {
  return 'faults' in failure && Array.isArray(failure.faults);
}
