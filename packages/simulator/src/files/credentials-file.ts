import type { DeviceCredentials } from '@granary/contract/devices/devices';
import { isRecord, JsonFile } from './json-file.ts';

/** The file with the secrets of the simulated devices. */
export class CredentialsFile {
  readonly #file: JsonFile;
  readonly #secrets: Map<string, string>;

  private constructor(file: JsonFile, secrets: Map<string, string>) {
    this.#file = file;
    this.#secrets = secrets;
  }

  static async open(path: string): Promise<CredentialsFile> {
    const file = new JsonFile(path);
    const secrets = await file.read();
    return new CredentialsFile(file, new Map(isSecrets(secrets) ? Object.entries(secrets) : []));
  }

  find(deviceId: string): DeviceCredentials | undefined {
    const secret = this.#secrets.get(deviceId);
    return secret === undefined ? undefined : { username: deviceId, secret };
  }

  keep({ username, secret }: DeviceCredentials): Promise<void> {
    this.#secrets.set(username, secret);
    return this.#file.write(() => Object.fromEntries(this.#secrets));
  }
}

/** Missing secrets are not a fault, because new ones can be requested. */
const isSecrets = (value: unknown): value is Record<string, string> =>
  isRecord(value) && Object.values(value).every((secret) => typeof secret === 'string');
