import type { StoredSecondFactor, UsedFactor } from '@granary/core/people';
import { updateRows } from '@granary/store/rows';
import type { Sql } from '@granary/store/sql';

export async function setSecondFactor(
  sql: Sql,
  keyId: string,
  factor: StoredSecondFactor | null,
): Promise<void> {
  const columns = {
    totpSecret: factor?.secret ?? null,
    totpStep: factor?.lastStep ?? null,
    recoveryCodes: factor === null ? null : JSON.stringify(factor.recoveryHashes),
  };
  await updateRows(sql, 'people', { keyId }, columns);
}

/** Returns whether it was not used before: of two sign-ins with one code, one is told so. The key is locked. */
export async function useUpFactor(sql: Sql, keyId: string, factor: UsedFactor): Promise<boolean> {
  if ('step' in factor) {
    const text = 'UPDATE people SET totp_step = $2 WHERE key_id = $1 AND totp_step < $2';
    return (await sql.run(text, [keyId, factor.step])) === 1;
  }
  const [row] = await sql.query<{ recoveryCodes: string | null }>(
    'SELECT recovery_codes FROM people WHERE key_id = $1',
    [keyId],
  );
  const hashes: string[] = JSON.parse(row?.recoveryCodes ?? '[]');
  if (!hashes.includes(factor.recoveryHash)) return false;
  const left = hashes.filter((hash) => hash !== factor.recoveryHash);
  await updateRows(sql, 'people', { keyId }, { recoveryCodes: JSON.stringify(left) });
  return true;
}
