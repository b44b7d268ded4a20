import { runWriter } from '@granary/store/sqlite/run-writer';
import { RowMemory } from './row-memory.ts';
import { callUseCase } from './use-cases.ts';

/** The thread in which SQLite runs the writes. */
const memory = new RowMemory();
runWriter({
  callUseCase: (sql, call) => callUseCase(sql, call, memory),
  forgetRows: () => memory.clear(),
});
