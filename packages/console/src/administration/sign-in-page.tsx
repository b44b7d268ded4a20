import type { Role } from '@granary/contract/keys';
import { ROLES } from '@granary/contract/outline';
import type { AppliedPolicy, GroupGrant, SignInPolicy, SignInRecord } from '@granary/contract/sign-on';
import { useSignal } from '@preact/signals';
import { callOptions, useConsole } from '../context/console.ts';
import { ConfirmButton, DialogButton, FormDialog } from '../kit/dialog.tsx';
import { FactList } from '../kit/fact-list.tsx';
import { useChoices, useDraft } from '../kit/form-state.ts';
import { CheckInput, SelectInput, TextInput } from '../kit/inputs.tsx';
import { Failure, Notice } from '../kit/messages.tsx';
import { column, PageList, Table, textColumn, timeColumn, titleColumn } from '../kit/table.tsx';
import type { Column } from '../kit/table-order.ts';
import { useLoaded, usePages } from '../kit/use-loaded.ts';
import { texts } from '../texts.ts';
import { PlaceChoices } from './place-choices.tsx';

const ROLE_NAMES = Object.keys(ROLES) as Role[];
const NO_PLACES: readonly string[] = [];

type ChangeGroups = (change: (groups: readonly GroupGrant[]) => GroupGrant[]) => Promise<void>;

/** Shows how people sign in: the rights of groups of the identity provider, and which groups each person brought. */
export function SignInPage() {
  const console = useConsole();
  const { client } = console;
  const { signOn } = texts.value;
  const policy = useLoaded((signal) => client.signOn.policy({ signal }), []);
  const applied = useSignal<AppliedPolicy | null>(null);
  const { run, failure } = useChoices();

  /** The policy is read again before the change, because somebody else may have changed it. */
  const change = async (changed: (present: SignInPolicy) => SignInPolicy): Promise<void> => {
    const next = changed(await client.signOn.policy());
    applied.value = await client.signOn.putPolicy(next, {}, callOptions(console));
    policy.reload();
  };
  const changeGroups: ChangeGroups = (changed) =>
    change((present) => ({ ...present, groups: changed(present.groups) }));
  const changeFactor = (isNeeded: boolean) =>
    change((present) => ({ ...present, second_factor_for: isNeeded ? 'administrators' : 'nobody' }));

  return (
    <>
      {console.settings.sign_on_name === null ? <Notice>{signOn.notSetUp}</Notice> : <Provider />}
      <section class="administration-section" aria-label={signOn.groups}>
        <div class="administration-head">
          <h2>{signOn.groups}</h2>
          <DialogButton kind="primary" text={signOn.addGroup}>
            {(close) => <GroupForm changeGroups={changeGroups} onClose={close} />}
          </DialogButton>
        </div>
        <Failure of={policy.failure} />
        {applied.value !== null && <Notice>{signOn.changed({ count: applied.value.people.length })}</Notice>}
        {policy.value !== undefined && <Groups policy={policy.value} changeGroups={changeGroups} />}
      </section>
      {policy.value !== undefined && (
        <section class="panel administration-choices" aria-label={signOn.factors}>
          <CheckInput
            label={signOn.factorForAdministrators}
            hint={signOn.factorForAdministratorsMeans}
            value={policy.value.second_factor_for === 'administrators'}
            onValue={(isNeeded) => run(() => changeFactor(isNeeded))}
          />
          <Failure of={failure} />
        </section>
      )}
      {console.settings.sign_on_name !== null && <SignIns />}
    </>
  );
}

/** Asks the provider when the page opens, because otherwise nobody notices that it does not answer. */
function Provider() {
  const { client } = useConsole();
  const { signOn } = texts.value;
  const { value, failure } = useLoaded((signal) => client.signOn.provider({ signal }), []);
  if (value === undefined) return <Failure of={failure} />;
  return (
    <section class="panel">
      <FactList
        facts={[
          { title: signOn.issuer, value: value.issuer },
          {
            title: signOn.state,
            value: value.answers ? signOn.answers : signOn.away({ failure: value.failure ?? '' }),
            isUnusual: !value.answers,
          },
          { title: signOn.callback, value: `${location.origin}${value.callback_path}` },
          { title: signOn.logout, value: `${location.origin}${value.logout_path}` },
          { title: signOn.adminGroup, value: value.admin_group ?? '–' },
        ]}
      />
    </section>
  );
}

interface GroupsProps {
  readonly policy: SignInPolicy;
  readonly changeGroups: ChangeGroups;
}

function Groups({ policy: { groups }, changeGroups }: GroupsProps) {
  const { signOn, people } = texts.value;
  if (groups.length === 0) return <Notice>{signOn.noGroups}</Notice>;
  const columns: readonly Column<GroupGrant>[] = [
    titleColumn('group', signOn.group, ({ group }) => group),
    textColumn('may', people.may, mayOf),
    column('actions', people.actions, { kind: 'actions' }, (grant) => (
      <ConfirmButton
        text={signOn.remove}
        label={signOn.removeOf({ group: grant.group })}
        means={signOn.removeMeans}
        onConfirm={() => changeGroups((all) => all.filter((one) => idOf(one) !== idOf(grant)))}
      />
    )),
  ];
  return <Table label={signOn.groups} columns={columns} rows={groups} idOf={idOf} orderName="groups" />;
}

const idOf = (grant: GroupGrant): string => JSON.stringify(grant);

function mayOf({ role, facilities, device_ids }: Omit<GroupGrant, 'group'>): string {
  const { people } = texts.value;
  const places = [...(facilities ?? []), ...(device_ids ?? [])];
  const [title = ''] = people.roles[role].split(':');
  return people.at({ role: title, places: places.length === 0 ? people.everywhere : places.join(', ') });
}

interface GroupFormProps {
  readonly changeGroups: ChangeGroups;
  readonly onClose: () => void;
}

function GroupForm({ changeGroups, onClose }: GroupFormProps) {
  const { signOn, people } = texts.value;
  const { current, field } = useDraft({
    group: '',
    role: 'operator',
    facilities: NO_PLACES,
    deviceIds: NO_PLACES,
  });
  const save = async (): Promise<void> => {
    const { group, role: chosen, facilities, deviceIds } = current.peek();
    const role = ROLE_NAMES.find((one) => one === chosen) ?? 'viewer';
    const grant: GroupGrant = {
      group: group.trim(),
      role,
      ...(facilities.length === 0 ? {} : { facilities: [...facilities] }),
      ...(deviceIds.length === 0 ? {} : { device_ids: [...deviceIds] }),
    };
    await changeGroups((all) => [...all, grant]);
  };
  return (
    <FormDialog title={signOn.addGroup} submit={signOn.addGroup} onSubmit={save} onClose={onClose}>
      <TextInput
        label={signOn.group}
        hint={signOn.groupHint}
        isRequired
        maxLength={500}
        {...field('group')}
      />
      <SelectInput
        label={people.role}
        options={ROLE_NAMES.map((role) => [role, people.roles[role]])}
        {...field('role')}
      />
      <PlaceChoices facilities={field('facilities')} deviceIds={field('deviceIds')} />
    </FormDialog>
  );
}

function SignIns() {
  const { client } = useConsole();
  const { signOn } = texts.value;
  const pages = usePages((page, signal) => client.signOn.signIns(page, { signal }), []);
  const columns: readonly Column<SignInRecord>[] = [
    timeColumn('at', signOn.at, ({ at }) => at),
    titleColumn('name', signOn.who, ({ name, subject }) => name ?? subject ?? signOn.unknown),
    textColumn('result', signOn.result, ({ result, reason }) =>
      [signOn.results[result], reason].filter(Boolean).join(': '),
    ),
    textColumn('groups', signOn.cameWith, ({ groups }) => groups.join(', ') || '–'),
  ];
  return (
    <section class="administration-section" aria-label={signOn.signIns}>
      <h2>{signOn.signIns}</h2>
      <PageList pages={pages} empty={signOn.noSignIns}>
        {(items) => (
          <Table
            label={signOn.signIns}
            columns={columns}
            rows={items}
            idOf={({ at, subject }) => `${at} ${subject}`}
          />
        )}
      </PageList>
    </section>
  );
}
