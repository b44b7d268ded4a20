import { PROPOSAL_STATUSES, type Proposal, type ProposalStatus } from '@granary/contract/proposals';
import type { Command } from 'commander';
import { type AccessValues, accessClient, asActor, whoText } from '../../access/service-access.ts';
import { confirm, type Define, type Environment } from '../../program/environment.ts';
import { CommandFailure, EXIT } from '../../program/explain.ts';
import { choice, given, withAccess, withExamples } from '../../program/options.ts';
import { outputOf } from '../../terminal/output.ts';
import type { Column } from '../../terminal/table.ts';
import { numberText } from '../devices/device-texts.ts';

const proposerText = ({ proposed_by }: Proposal): string =>
  [proposed_by.agent, whoText(proposed_by)].filter((name) => name !== undefined).join(', ');

const whatText = ({ type, amount, plan, target_container }: Proposal): string =>
  `${type} ${numberText(amount)} ${plan.unit}${target_container === null ? '' : ` into ${target_container}`}`;

const COLUMNS: readonly Column<Proposal>[] = [
  { title: 'PROPOSAL', text: ({ proposal_id }) => proposal_id },
  { title: 'DEVICE', text: ({ device_id }) => device_id },
  { title: 'WHAT', text: whatText },
  {
    title: 'STATUS',
    text: ({ status }) => status,
    tone: ({ status }) => (status === 'open' ? 'warning' : undefined),
  },
  { title: 'UNTIL', text: ({ expires_at }) => expires_at },
  { title: 'PROPOSED BY', text: proposerText },
  { title: 'DECIDED BY', text: ({ decided_by }) => whoText(decided_by) },
  { title: 'REASON', text: ({ reason, refusal_reason }) => refusal_reason ?? reason ?? '-' },
];

interface ListValues extends AccessValues {
  readonly device?: string;
  readonly status?: ProposalStatus;
}

interface DecisionValues extends AccessValues {
  readonly yes?: boolean;
  readonly reason?: string;
}

/** Lists, confirms and declines the operations that programs propose. */
export const proposals: Define = (command, environment) => {
  command.description('Lists, confirms and refuses operations that agents and other programs propose.');
  const list = command
    .command('list')
    .summary('list them, the newest first')
    .option('--device <id>', 'only those of this device')
    .addOption(choice('--status <status>', 'only those with this status', PROPOSAL_STATUSES));
  withExamples(list, 'granary proposals list --status open');
  withAccess(list).action(async ({ device, status, ...values }: ListValues) => {
    const query = given({ device_id: device, status });
    const found = await Array.fromAsync(accessClient(values, environment.env).proposals.listAll(query));
    outputOf(environment, values.json).list(COLUMNS, found, 'There are no such proposals.');
  });
  defineConfirm(command.command('confirm').summary('start what is proposed'), environment);
  const refuse = command.command('refuse').summary('refuse what is proposed').argument('<proposal_id>');
  refuse.option('--reason <text>', 'why not');
  withExamples(refuse, 'granary proposals refuse pr_019a86c5f3c07b2a --reason "the truck is not here"');
  withAccess(refuse).action(async (proposalId: string, { reason, ...values }: DecisionValues) => {
    const { env } = environment;
    const { device_id } = await openProposal(proposalId, values, environment);
    const body = given({ reason });
    const refused = await accessClient(values, env).proposals.refuse(
      device_id,
      proposalId,
      body,
      asActor(env),
    );
    outputOf(environment, values.json).one(refused, () => `${proposalId} is refused; nothing was started.`);
  });
  withExamples(
    command,
    'granary proposals list --status open',
    'granary proposals confirm pr_019a86c5f3c07b2a',
  );
};

function defineConfirm(command: Command, environment: Environment): void {
  command
    .argument('<proposal_id>')
    .description(
      'Shows the plan, asks, and starts the operation. The service checks again whether it may start.',
    )
    .option('--yes', 'start it without a question');
  withExamples(command, 'granary proposals confirm pr_019a86c5f3c07b2a');
  withAccess(command).action(async (proposalId: string, { yes, ...values }: DecisionValues) => {
    const { env } = environment;
    const proposal = await openProposal(proposalId, values, environment);
    const { device_id, plan, ends } = proposal;
    await confirm(
      `${device_id}: ${whatText(proposal)}, ${numberText(plan.rate)} ${plan.rate_unit}, about ${numberText(plan.estimated_duration)} minutes, ` +
        `ends by itself at ${numberText(ends.amount_max)} ${plan.unit} or after ${numberText(ends.minutes_max)} minutes; ` +
        `proposed by ${proposerText(proposal)}. Start it?`,
      yes,
      environment,
    );
    const started = await accessClient(values, env).proposals.confirm(device_id, proposalId, asActor(env));
    outputOf(environment, values.json).one(
      started,
      () => `${proposalId} is confirmed; ${started.operation_id} has started on ${device_id}.`,
    );
  });
}

/** Finds the device of a proposal in the list of the open ones, so that nobody has to name it. */
async function openProposal(
  proposalId: string,
  values: AccessValues,
  { env }: Environment,
): Promise<Proposal> {
  const { proposals: open } = accessClient(values, env);
  for await (const proposal of open.listAll({ status: 'open' })) {
    if (proposal.proposal_id === proposalId) return proposal;
  }
  throw new CommandFailure(`there is no open proposal ${proposalId}`, {
    exitCode: EXIT.refused,
    cure: '`granary proposals list` shows what became of it.',
  });
}
