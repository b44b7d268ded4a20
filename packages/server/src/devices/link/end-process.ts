import type { Logger } from '../../process/logging/logger.ts';

/**
 * Ends the process at once, so that whatever supervises it starts it again. Everything that was acknowledged is stored, and
 * devices send the rest again.
 */
export const endProcess =
  (logger: Logger) =>
  (error: Error): void => {
    logger.fatal({ err: error }, 'a thread of the device link has ended, so the service ends');
    process.exit(1);
  };
