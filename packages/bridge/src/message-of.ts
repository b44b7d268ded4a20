/** Returns what an error says, for a log or a report. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
