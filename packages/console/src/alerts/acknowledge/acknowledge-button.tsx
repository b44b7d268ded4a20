import type { FleetAlert } from '@granary/contract/fleet/records';
import { useConsole, useScope } from '../../console.ts';
import { Button } from '../../parts/button.tsx';
import { failureText } from '../../parts/failure.tsx';
import { useAction } from '../../parts/forms/use-action.ts';
import { texts } from '../../texts/texts.ts';
import { useAcknowledge } from './use-acknowledge.ts';

interface Props {
  readonly alert: FleetAlert;
  readonly isDisabled?: boolean;
}

/** Needs one press, and no note. */
export function AcknowledgeButton({ alert, isDisabled = false }: Props) {
  const { live } = useConsole();
  const acknowledge = useAcknowledge();
  const { run, isRunning, failure } = useAction();
  if (!useScope('operate')) return null;
  const { common } = texts.value;
  const isLost = live.connection.current.value.state === 'lost';
  const refused = failure === null ? undefined : failureText(failure);
  return (
    <>
      <Button
        isBusy={isRunning}
        isDisabled={isLost || isDisabled}
        {...(isLost ? { title: common.notWhileOffline } : {})}
        onPress={() => void run(() => acknowledge([alert]))}
      >
        {common.acknowledge}
      </Button>
      {refused !== undefined && (
        <span class="refusal" role="alert">
          {refused}
        </span>
      )}
    </>
  );
}
