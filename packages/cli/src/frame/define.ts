import type { Command } from 'commander';
import type { Environment } from './environment.ts';

/** Each file in `commands/` exports one of these; it adds arguments, options, help and the action to its command. */
export type Define = (command: Command, environment: Environment) => void;
