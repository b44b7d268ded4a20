import { readFile } from 'node:fs/promises';

export async function readVersion(): Promise<string> {
  const { version }: { version: string } = JSON.parse(
    await readFile(new URL('../package.json', import.meta.url), 'utf8'),
  );
  return version;
}
