import { useConsole } from '../console.ts';
import { formatTime } from '../format/times.ts';
import { locale, texts } from '../texts/texts.ts';

/** Whether what is shown is current. */
export function ConnectionSign() {
  const { connection, site } = useConsole().live;
  const { frame } = texts.value;
  const current = connection.current.value;
  const words = {
    connecting: () => frame.connecting,
    live: () => frame.live,
    lost: (sinceMs: number) => frame.notLiveSince(formatTime(sinceMs, site.clock.nowMs.peek(), locale.value)),
  };
  return (
    <span class={`connection-sign ${current.state}`} role="status">
      {current.state === 'lost' ? words.lost(current.sinceMs) : words[current.state]()}
    </span>
  );
}
