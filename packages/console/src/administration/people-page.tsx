import type { Role } from '@granary/contract/keys';
import { ROLES } from '@granary/contract/outline';
import type { Invitation, Person } from '@granary/contract/people';
import { type Console, callOptions, useConsole } from '../context/console.ts';
import { addressOf } from '../context/routes.ts';
import { ConfirmButton, DialogButton } from '../kit/dialog.tsx';
import { useDraft } from '../kit/form-state.ts';
import { Choices, SelectInput, TextInput } from '../kit/inputs.tsx';
import { Age } from '../kit/measured.tsx';
import { LinkForm } from '../kit/secret-dialog.tsx';
import { column, PageList, Table, titleColumn } from '../kit/table.tsx';
import type { Column } from '../kit/table-order.ts';
import { usePages } from '../kit/use-loaded.ts';
import { meaningsOf } from '../me/rights.ts';
import { texts } from '../texts.ts';

const ROLE_NAMES = Object.keys(ROLES) as Role[];

interface PersonDraft {
  readonly name: string;
  readonly login: string;
  readonly email: string;
  readonly role: string;
  readonly facilities: readonly string[];
}

const EMPTY: PersonDraft = { name: '', login: '', email: '', role: 'operator', facilities: [] };

export function PeoplePage() {
  const console = useConsole();
  const { people } = texts.value;
  const pages = usePages((page, signal) => console.client.people.list(page, { signal }), []);
  return (
    <>
      <div class="administration-head">
        <DialogButton kind="primary" text={people.invite}>
          {(close) => (
            <InvitePerson
              onClose={() => {
                close();
                pages.reload();
              }}
            />
          )}
        </DialogButton>
      </div>
      <PageList pages={pages} empty={people.none}>
        {(items) => (
          <Table
            label={people.title}
            columns={personColumns(console, pages.reload)}
            rows={items}
            idOf={({ person_id }) => person_id}
          />
        )}
      </PageList>
    </>
  );
}

function personColumns(console: Console, reload: () => void): readonly Column<Person>[] {
  const { people } = texts.value;
  return [
    titleColumn('name', people.name, ({ name }) => name),
    column('login', people.login, { sortBy: ({ login }) => login }, ({ login }) => login),
    column('may', people.may, {}, ({ grants }) =>
      meaningsOf(grants).map((meaning) => (
        <div key={meaning} class="free-text">
          {meaning}
        </div>
      )),
    ),
    column('state', people.state, { sortBy: ({ state }) => people.states[state] }, ({ state }) => (
      <span class={state === 'disabled' ? 'muted' : ''}>{people.states[state]}</span>
    )),
    column(
      'used',
      people.lastUsed,
      { kind: 'number', sortBy: ({ last_used_at }) => last_used_at },
      ({ last_used_at }) =>
        last_used_at === null ? <span class="muted">{people.never}</span> : <Age since={last_used_at} />,
    ),
    column('actions', people.actions, { kind: 'actions' }, (person) => (
      <span class="buttons">
        <a
          class="button plain"
          href={addressOf('administration', 'audit', { key: person.person_id })}
          aria-label={people.didOf({ name: person.name })}
        >
          {people.did}
        </a>
        <DialogButton text={people.renew} label={people.renewOf({ name: person.name })}>
          {(close) => (
            <RenewLink
              person={person}
              onClose={() => {
                close();
                reload();
              }}
            />
          )}
        </DialogButton>
        {person.has_single_sign_on && (
          <ConfirmButton
            text={people.unlink}
            label={people.unlinkOf({ name: person.name })}
            means={people.unlinkMeans}
            onConfirm={async () => {
              await console.client.people.unlink(person.person_id, callOptions(console));
              reload();
            }}
          />
        )}
        {person.state !== 'disabled' && (
          <ConfirmButton
            text={people.disable}
            label={people.disableOf({ name: person.name })}
            means={people.disableMeans}
            onConfirm={async () => {
              await console.client.people.disable(person.person_id, callOptions(console));
              reload();
            }}
          />
        )}
      </span>
    )),
  ];
}

/** The parts of an invitation that are shown: its link, and whether it was mailed. */
const linkOf = ({ code, mailed, person: { email } }: Invitation) => ({
  fragment: `invite=${code}`,
  note: mailed && <p>{texts.value.people.mailed({ email: email ?? '' })}</p>,
});

function InvitePerson({ onClose }: { readonly onClose: () => void }) {
  const console = useConsole();
  const { people, keys } = texts.value;
  const { current, field } = useDraft(EMPTY);
  const places = console.live.site.devices.facilities.value;
  return (
    <LinkForm
      title={people.invite}
      submit={people.invite}
      issuedTitle={people.linkFor({ name: current.value.name.trim() })}
      link={people.link}
      qrCode={people.qrCode}
      issue={async () => {
        const { name, login, email, role: chosen, facilities } = current.peek();
        const role = ROLE_NAMES.find((one) => one === chosen) ?? 'viewer';
        const grant = { role, ...(facilities.length === 0 ? {} : { facilities: [...facilities] }) };
        const person = {
          name: name.trim(),
          login: login.trim().toLowerCase(),
          grants: [grant],
          ...(email.trim() === '' ? {} : { email: email.trim() }),
        };
        return linkOf(await console.client.people.invite(person, callOptions(console)));
      }}
      onClose={onClose}
    >
      <TextInput label={people.name} isRequired {...field('name')} />
      <TextInput label={people.login} hint={people.loginHint} isRequired {...field('login')} />
      <TextInput label={people.email} hint={people.emailHint} type="email" {...field('email')} />
      <SelectInput
        label={people.role}
        options={ROLE_NAMES.map((role) => [role, people.roles[role]])}
        {...field('role')}
      />
      <Choices
        legend={keys.facilities}
        hint={keys.limitHint}
        options={places.map((name) => [name, name])}
        {...field('facilities')}
      />
    </LinkForm>
  );
}

interface RenewProps {
  readonly person: Person;
  readonly onClose: () => void;
}

function RenewLink({ person: { person_id, name }, onClose }: RenewProps) {
  const console = useConsole();
  const { people } = texts.value;
  return (
    <LinkForm
      title={people.renewOf({ name })}
      submit={people.renew}
      issuedTitle={people.linkFor({ name })}
      link={people.link}
      qrCode={people.qrCode}
      issue={async () => linkOf(await console.client.people.renew(person_id, callOptions(console)))}
      onClose={onClose}
    >
      <p>{people.renewMeans}</p>
    </LinkForm>
  );
}
