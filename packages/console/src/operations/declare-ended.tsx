import type { EndDeclaration } from '@granary/contract/declared-end';
import { useSignal } from '@preact/signals';
import { useConsole } from '../console.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Failure } from '../parts/failure.tsx';
import { Field } from '../parts/field.tsx';
import { useAction } from '../parts/use-action.ts';
import { texts } from '../texts/texts.ts';

interface Props {
  readonly what: string;
  readonly deviceId: string;
  readonly declare: (declaration: EndDeclaration) => Promise<void>;
}

/** Lets a person who has looked at the device say that a job does not run any more. */
export function DeclareEnded({ what, deviceId, declare }: Props) {
  const { live, preferences } = useConsole();
  const { jobs, common } = texts.value;
  const isOpen = useSignal(false);
  const reason = useSignal('');
  const lookedBy = useSignal(preferences.person.peek());
  const { run, isRunning, failure, forget } = useAction();
  const isLost = live.connection.current.value.state === 'lost';
  const name = live.site.devices.find(deviceId)?.value.name ?? deviceId;
  const close = (): void => {
    isOpen.value = false;
    forget();
  };

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    const isDone = await run(() =>
      declare({ reason: reason.peek().trim(), looked_by: lookedBy.peek().trim() }),
    );
    if (isDone) close();
  }

  return (
    <>
      <Button
        isDisabled={isLost}
        title={isLost ? common.notWhileOffline : ''}
        label={jobs.declareEndedOf(what, name)}
        onPress={() => {
          isOpen.value = true;
        }}
      >
        {jobs.declareEnded}
      </Button>
      {isOpen.value && (
        <Dialog title={jobs.declareEndedOf(what, name)} onClose={close}>
          <form class="dialog-form" onSubmit={(event) => void submit(event)}>
            <p>{jobs.declareMeans}</p>
            <Field label={jobs.reason} hint={jobs.reasonHint}>
              {(id) => (
                <input
                  id={id}
                  type="text"
                  required
                  maxLength={200}
                  value={reason.value}
                  onInput={({ currentTarget }) => {
                    reason.value = currentTarget.value;
                  }}
                />
              )}
            </Field>
            <Field label={jobs.lookedBy}>
              {(id) => (
                <input
                  id={id}
                  type="text"
                  required
                  maxLength={200}
                  value={lookedBy.value}
                  onInput={({ currentTarget }) => {
                    lookedBy.value = currentTarget.value;
                  }}
                />
              )}
            </Field>
            <Failure of={failure} />
            <div class="dialog-actions">
              <Button onPress={close}>{common.cancel}</Button>
              <Button kind="primary" type="submit" isBusy={isRunning}>
                {jobs.declareEnded}
              </Button>
            </div>
          </form>
        </Dialog>
      )}
    </>
  );
}
