import { installPackages, isOnPath, pathWithServers } from '../../../tools/test-setup/debian-packages.ts';
import type { Finding } from '../report.ts';

/** Programs of others that the service is compared with. */
export interface Peer {
  readonly name: string;
  readonly packages: readonly string[];
  readonly commands: readonly string[];
}

/** Installs what is missing where this is permitted; returns why the program cannot be used, else null. */
export async function missingPeer({ name, packages, commands }: Peer): Promise<string | null> {
  const isThere = () => commands.every((command) => isOnPath(command, pathWithServers()));
  if (isThere()) return null;
  const failure = await installPackages(packages, 'benchmark');
  if (isThere()) return null;
  const reason = failure ?? 'The packages were installed, and still it is not found.';
  console.log(
    ['!'.repeat(100), `! LEFT OUT: every comparison with ${name}. ${reason}`, '!'.repeat(100)].join('\n'),
  );
  return reason;
}

/** The line of a comparison that could not be made. */
export const leftOut = (name: string, target: string, peer: Peer, reason: string): Finding => ({
  name,
  target,
  figure: 'left out',
  met: false,
  detail: `${peer.name} is not there: ${reason} Install ${peer.packages.join(', ')}.`,
});
