import { useSignalEffect } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { useConsole } from '../../console.ts';
import { summaryOf } from '../summary.ts';
import { NewCritical } from './new-critical.ts';
import { pageSigns } from './page-signs.ts';
import { playAlarm } from './sound.ts';

/** What tells of alerts outside the page: its title, its icon, and a sound where the person wants it. */
export function AlertSignals() {
  const { live, preferences } = useConsole();
  const critical = useMemo(() => new NewCritical(), [live]);
  useSignalEffect(() => {
    if (live.connection.current.value.state === 'connecting') return;
    const alerts = [...live.site.alerts.all.value.values()];
    if (critical.hasNew(alerts) && preferences.hasSound.peek()) playAlarm();
    const { title, icon } = pageSigns(summaryOf(alerts));
    document.title = title;
    document.querySelector('link[rel="icon"]')?.setAttribute('href', icon);
  });
  return null;
}
