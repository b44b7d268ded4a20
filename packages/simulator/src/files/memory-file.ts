import { isRecord, JsonFile } from './json-file.ts';

/** The file with the state that devices keep while they are switched off. */
export class MemoryFile {
  readonly #file: JsonFile;
  readonly #memories: Map<string, unknown>;

  private constructor(file: JsonFile, memories: Map<string, unknown>) {
    this.#file = file;
    this.#memories = memories;
  }

  static async open(path: string): Promise<MemoryFile> {
    const file = new JsonFile(path);
    const content = await file.read();
    return new MemoryFile(file, new Map(isRecord(content) ? Object.entries(content) : []));
  }

  /** `undefined` when there is no stored state, or an invalid one. */
  find<Memory>(deviceId: string, isMemory: (value: unknown) => value is Memory): Memory | undefined {
    const memory = this.#memories.get(deviceId);
    return isMemory(memory) ? memory : undefined;
  }

  keep(deviceId: string, memory: object): Promise<void> {
    this.#memories.set(deviceId, memory);
    return this.#file.write(() => Object.fromEntries(this.#memories));
  }
}
