import type { Readers } from '@granary/core/notifications/message';
import type { Settings } from '../../process/settings.ts';

/** Messages link to the operators' page only where people can reach it. */
export const readersOf = ({
  console,
  publicUrl,
  timeZone,
}: Pick<Settings, 'console' | 'publicUrl' | 'timeZone'>): Readers => ({
  consoleUrl: console && publicUrl !== null ? publicUrl.replace(/\/$/, '') : null,
  timeZone,
});
