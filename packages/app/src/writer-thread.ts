import { runWriter } from '@granary/store/sqlite/run-writer';
import { callUseCase } from './use-cases.ts';

/** The thread in which SQLite runs the writes. */
runWriter(callUseCase);
