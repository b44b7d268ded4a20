import type { ComponentChildren } from 'preact';
import { useConsole } from '../console.ts';
import { texts } from '../texts/texts.ts';
import { ClockSign } from './measured.tsx';

/** Whether the connection is lost, so that what is shown may not be true any more. */
export const useIsLost = (): boolean => useConsole().live.connection.current.value.state === 'lost';

/** A state that the page knows; while the connection is lost it has the form of a stale value. */
export function LastKnown({ children }: { readonly children: ComponentChildren }) {
  if (!useIsLost()) return <>{children}</>;
  return (
    <span class="last-known">
      <ClockSign label={texts.value.common.lastKnown} />
      {children}
    </span>
  );
}
