import type { Settings } from '../../process/settings.ts';
import type { Mailer } from './mailer.ts';

/** The mail library is loaded only where e-mail is set up. */
export async function openMailer({
  smtp,
  mailFrom,
}: Pick<Settings, 'smtp' | 'mailFrom'>): Promise<Mailer | null> {
  if (smtp === null || mailFrom === null) return null;
  const { Mailer } = await import('./mailer.ts');
  return new Mailer(smtp, mailFrom);
}
