import { checkOperationProgress } from '@granary/contract/link';
import { isRecord, JsonFile } from './json-file.ts';
import { type Memory, UNTOUCHED } from './machine.ts';

/** Where the farm keeps what its silos must remember while they are switched off. */
export class MemoryFile {
  readonly #file: JsonFile;
  readonly #memories: Map<string, Memory>;

  private constructor(file: JsonFile, memories: Map<string, Memory>) {
    this.#file = file;
    this.#memories = memories;
  }

  static async open(path: string): Promise<MemoryFile> {
    const file = new JsonFile(path);
    const memories = new Map<string, Memory>();
    const content = await file.read();
    for (const [siloId, memory] of isRecord(content) ? Object.entries(content) : []) {
      if (isMemory(memory)) memories.set(siloId, memory);
    }
    return new MemoryFile(file, memories);
  }

  /** A silo whose memory is lost is one that nobody has touched. */
  find(siloId: string): Memory {
    return this.#memories.get(siloId) ?? UNTOUCHED;
  }

  keep(siloId: string, memory: Memory): Promise<void> {
    this.#memories.set(siloId, memory);
    return this.#file.write(() => Object.fromEntries(this.#memories));
  }
}

function isMemory(value: unknown): value is Memory {
  if (!isRecord(value)) return false;
  const { offsetKg, operations } = value;
  return (
    Number.isFinite(offsetKg) && Array.isArray(operations) && operations.every(checkOperationProgress.accepts)
  );
}
