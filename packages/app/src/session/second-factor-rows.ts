import type { StoredPasskey, StoredSecondFactor, UsedFactor } from '@granary/core/people';
import { insertRows, updateRows } from '@granary/store/rows';
import type { Sql } from '@granary/store/sql';
import { uncountCode } from './guesses.ts';

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

/** Returns whether the factor was not used before: if two sign-ins use one code, only one succeeds. The caller has locked the key. */
export async function useUpFactor(
  sql: Sql,
  keyId: string,
  factor: UsedFactor,
  nowMs: number,
): Promise<boolean> {
  if ('credentialId' in factor) return await usePasskey(sql, keyId, factor, nowMs);
  if ('step' in factor) {
    const text = 'UPDATE people SET totp_step = $2 WHERE key_id = $1 AND totp_step < $2';
    if ((await sql.run(text, [keyId, factor.step])) !== 1) return false;
    await uncountCode(sql, keyId, factor.countedAt);
    return true;
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

const PASSKEY_COLUMNS =
  'credential_id, key_id, name, rp_id, public_key, sign_count, created_at_ms, last_used_at_ms';

export async function findPasskey(sql: Sql, credentialId: string): Promise<StoredPasskey | undefined> {
  const [found] = await sql.query<StoredPasskey>(
    `SELECT ${PASSKEY_COLUMNS} FROM passkeys WHERE credential_id = $1`,
    [credentialId],
  );
  return found;
}

export async function listPasskeys(sql: Sql, keyId: string): Promise<StoredPasskey[]> {
  return await sql.query<StoredPasskey>(
    `SELECT ${PASSKEY_COLUMNS} FROM passkeys WHERE key_id = $1 ORDER BY created_at_ms, credential_id`,
    [keyId],
  );
}

/** Returns whether nobody had the passkey before. */
export async function insertPasskey(sql: Sql, passkey: StoredPasskey): Promise<boolean> {
  const target = { table: 'passkeys', onConflict: 'ON CONFLICT (credential_id) DO NOTHING' };
  return (await insertRows(sql, target, [{ ...passkey }])) === 1;
}

/** A sign count that does not grow means a copy of the authenticator; many authenticators do not count at all. */
async function usePasskey(
  sql: Sql,
  keyId: string,
  { credentialId, signCount }: Extract<UsedFactor, { credentialId: string }>,
  nowMs: number,
): Promise<boolean> {
  const text = `UPDATE passkeys SET sign_count = $3, last_used_at_ms = $4
     WHERE credential_id = $1 AND key_id = $2 AND (sign_count < $3 OR (sign_count = 0 AND $3 = 0))`;
  return (await sql.run(text, [credentialId, keyId, signCount, nowMs])) === 1;
}

export async function removePasskey(sql: Sql, keyId: string, credentialId: string): Promise<void> {
  await sql.run('DELETE FROM passkeys WHERE key_id = $1 AND credential_id = $2', [keyId, credentialId]);
}

/** Removes every factor except the password: somebody else may have set them. */
export async function removeFactors(sql: Sql, keyId: string): Promise<void> {
  await setSecondFactor(sql, keyId, null);
  await updateRows(sql, 'people', { keyId }, { pin: null });
  await sql.run('DELETE FROM passkeys WHERE key_id = $1', [keyId]);
}
