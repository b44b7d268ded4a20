import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const FOLDER_OF_LIBRARY = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;

/** The licences of the libraries that are part of the built files, which they demand. */
export async function licencesOf(modules: readonly string[]): Promise<string> {
  const folders = new Set(modules.flatMap((module) => FOLDER_OF_LIBRARY.exec(module) ?? []));
  const texts = await Promise.all([...folders].sort().map(licenceOf));
  return texts.join(`\n\n${'-'.repeat(80)}\n\n`);
}

async function licenceOf(folder: string): Promise<string> {
  const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const files = (await readdir(folder)).filter((file) => /^licen[cs]e/i.test(file));
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  return [`${name} ${version} (${license})`, ...texts.map((text) => text.trim())].join('\n\n');
}
