import './saved-views.css';
import type { View } from '@granary/contract/views';
import { useSignal } from '@preact/signals';
import { callOptions, useConsole, useScope } from '../context/console.ts';
import { addressOfView } from '../context/routes.ts';
import { Button } from '../kit/button.tsx';
import { ConfirmButton, Dialog, DialogButton } from '../kit/dialog.tsx';
import { useAction } from '../kit/form-state.ts';
import { bound, CheckInput, TextInput } from '../kit/inputs.tsx';
import { Failure } from '../kit/messages.tsx';
import { ordered } from '../kit/table-order.ts';
import { type Loaded, useLoaded } from '../kit/use-loaded.ts';
import { nameOf } from '../operations/jobs.ts';
import { locale, texts } from '../texts.ts';

/** The own views of the key and the shared ones, by name; they are read when somebody opens the list. */
export function useSavedViews(): Loaded<readonly View[]> {
  const { client } = useConsole();
  return useLoaded(
    async (signal) =>
      ordered(
        await Array.fromAsync(client.views.listAll({}, { signal })),
        ({ name }) => name,
        false,
        locale.peek(),
      ),
    [client],
  );
}

/** Opens a saved view, or saves the present view with its filters. */
export const SavedViews = () => (
  <DialogButton text={texts.value.views.title}>{(close) => <ViewsDialog onClose={close} />}</DialogButton>
);

function ViewsDialog({ onClose }: { readonly onClose: () => void }) {
  const { views: words } = texts.value;
  const { value: views, failure, reload } = useSavedViews();
  return (
    <Dialog title={words.title} onClose={onClose}>
      <Failure of={failure} />
      {views?.length === 0 && <p class="muted">{words.none}</p>}
      <ul class="saved-views">
        {views?.map((view) => (
          <li key={view.view_id}>
            <a class="free-text" href={view.address} onClick={onClose}>
              {view.name}
            </a>
            {view.shared && (
              <span class="muted free-text">
                {view.is_own ? words.shared : words.sharedBy({ name: nameOf(view.created_by) ?? '' })}
              </span>
            )}
            <RemoveView view={view} onDone={reload} />
          </li>
        ))}
      </ul>
      <SaveForm views={views ?? []} onDone={onClose} />
    </Dialog>
  );
}

/** Saves a view; a view of the key with the same name is replaced. */
function SaveForm({ views, onDone }: { readonly views: readonly View[]; readonly onDone: () => void }) {
  const console = useConsole();
  const { client, navigation } = console;
  const { views: words } = texts.value;
  const name = useSignal('');
  const shared = useSignal(false);
  const { run, isRunning, failure } = useAction();
  const same = views.find((view) => view.is_own && view.name === name.value.trim());

  async function save(): Promise<void> {
    const { view, id, query } = navigation.route.peek();
    const wanted = {
      name: name.peek().trim(),
      address: addressOfView(view, id, Object.fromEntries(query)),
      shared: shared.peek(),
    };
    await (same === undefined
      ? client.views.create(wanted, callOptions(console))
      : client.views.change(same.view_id, wanted, callOptions(console)));
  }

  return (
    <form
      class="dialog-form"
      onSubmit={(event) => {
        event.preventDefault();
        void run(save).then((isSaved) => isSaved && onDone());
      }}
    >
      <TextInput
        label={words.name}
        hint={same === undefined ? words.nameHint : words.replaces}
        maxLength={100}
        isRequired
        {...bound(name)}
      />
      {useScope('operate') && <CheckInput label={words.share} {...bound(shared)} />}
      <Failure of={failure} />
      <div class="dialog-actions">
        <Button
          kind="primary"
          type="submit"
          isChange
          isBusy={isRunning}
          isDisabled={name.value.trim() === ''}
        >
          {words.save}
        </Button>
      </div>
    </form>
  );
}

function RemoveView({ view, onDone }: { readonly view: View; readonly onDone: () => void }) {
  const console = useConsole();
  const { views: words, shifts } = texts.value;
  const isAdmin = useScope('admin');
  if (!view.is_own && !isAdmin) return null;
  return (
    <ConfirmButton
      text={shifts.remove}
      label={words.remove({ name: view.name })}
      means={view.shared ? words.removeMeansAll : words.removeMeans}
      onConfirm={async () => {
        await console.client.views.remove(view.view_id, callOptions(console));
        onDone();
      }}
    />
  );
}
