import { Refusal } from '@granary/contract/errors';
import type { ValidationIssue } from '@granary/contract/input/schema';

/** A refusal as a value, so that the decisions about the other parts of a document are made too. */
export function refusalOr<Result>(decide: () => Result): Result | Refusal {
  try {
    return decide();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

/** The issues of a refusal about the part of a document at this path. */
export const issuesAt = (prefix: string, { details, message }: Refusal): ValidationIssue[] =>
  (details ?? [{ path: '', message }]).map((issue) => ({ ...issue, path: prefix + issue.path }));
