/** The exit codes of every command; scripts depend on them, so a number never changes its meaning. */
export const EXIT = {
  done: 0,
  /** The command could not do its work, or what it started did not end as wanted. */
  failed: 1,
  /** The command line is wrong; nothing was sent. */
  usage: 2,
  /** The service answered that it will not do this (HTTP status 4xx). */
  refused: 3,
  /** The service did not answer, or could not serve the request now (HTTP status 5xx). */
  notReachable: 4,
  /** A person was asked and said no, or there was nobody to ask. */
  declined: 5,
  /** Ctrl+C. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
