import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { type Dialect, POSTGRES_DIALECT, SQLITE_DIALECT } from './dialect.ts';
import { type Migration, renderMigration } from './migration.ts';
import { MIGRATIONS } from './migrations.ts';

const NOW_MS = Date.UTC(2026, 5, 15, 12);

/** Of every released migration. A new one adds an entry; an entry that is there never changes. */
const CHECKSUMS: readonly { readonly sqlite: string; readonly postgres: string }[] = [
  {
    sqlite: '43c57a7e202274c2ed3d55690cf94abc2ce9891ac083080bafc8ded54f4b96cb',
    postgres: 'c760ba22879a8cd3bb0b450bbabb21ca3f173dcd367095dfe60c87eb2e23576b',
  },
  {
    sqlite: 'd5854058f7b4e480e103c4b79d6454058c21b5dc5046a3dbb1faf27b2d1daf61',
    postgres: '6731105df5ba2f5c6c643a1b6d79148d996690c3fe88eacada9fdea8c726f09e',
  },
  {
    sqlite: '8c91f54d7df0eb75fa69ffd3f2612c2bbb450c8942eb5287bcfb75fd21810752',
    postgres: 'f1a422300bf3f47263998be148bdd76623e0368a480d05b00f78ae935e998550',
  },
  {
    sqlite: '6d745e3cca1803840d19fb5d4e2caab7720084f2871c73700e8c1eaa5c9c0e58',
    postgres: '6d745e3cca1803840d19fb5d4e2caab7720084f2871c73700e8c1eaa5c9c0e58',
  },
  {
    sqlite: 'a4483d5514641bef6a72c4fbbc354aca6ecbd0febbe0571b9f8b7819a7be75be',
    postgres: 'a4483d5514641bef6a72c4fbbc354aca6ecbd0febbe0571b9f8b7819a7be75be',
  },
  {
    sqlite: 'c2d3b5668b6a8a1cae62cc9fcf27578332ca5fc989a116fea9f7cd86f9aa068b',
    postgres: 'c2d3b5668b6a8a1cae62cc9fcf27578332ca5fc989a116fea9f7cd86f9aa068b',
  },
  {
    sqlite: 'fc293ba863aa52c8f1b3f03c73808cc948dad36529995581783663c7c54c4421',
    postgres: '83d5752e55f27d8de1ec0c172e6c9f1bcf763ebdb7004636d383c45a148bd9e7',
  },
  {
    sqlite: '71b9095f3b58d5c001895d44d30083384f26d31f1327272f7cc8b3d4dabadb5e',
    postgres: '62492c4f9843e29ba06a91401bb2c6f2d3ae755cd634ed3e7184193c80aa473c',
  },
  {
    sqlite: '8e732792ff97207d53708368f20a7c857afcc293bb65b5448a3f740ac8a3008c',
    postgres: '8e732792ff97207d53708368f20a7c857afcc293bb65b5448a3f740ac8a3008c',
  },
  {
    sqlite: '778e0087f7bb2d0b5287ea2d74b754f560e82de75d864d73431ad67488f5d116',
    postgres: '01d045d4add0cd4901feeb1d25476f937f641942bc01393cb7b07c8023ff3df8',
  },
  {
    sqlite: 'ed7e28ae3b1988ce34f224526989be49c2f48077e2dfe95e35868eaa77d7f121',
    postgres: '77068f6e92eb2ba87a1f1c69b9e950d93e71fc544fb4f9ce7ca833f139136503',
  },
  {
    sqlite: 'd14f80b9f021736f7b02ee6afac05861a9e82db91952b76f77ac906aab8b3665',
    postgres: 'd14f80b9f021736f7b02ee6afac05861a9e82db91952b76f77ac906aab8b3665',
  },
  {
    sqlite: 'c5042af05c440d8f889dcd34f945ae0cff296633454311269ac9ab4dc74adb2f',
    postgres: 'c8b08e850ffd212466a491360e6757eea4dc995d00a64c39d9fb138353357eaa',
  },
  {
    sqlite: 'a24abd6a341f05a1485ff35f7f82cebf4fb13fc75f77346c65806f65b503e77e',
    postgres: 'faf0f239f2145a5d5456e2edc7defaa5d994bd767a45f5d9214aa7bde7fa8b99',
  },
  {
    sqlite: 'bf415b34def5fc78f98e5b7733070f9678ab61d70910981d0858377971f93f61',
    postgres: 'bf415b34def5fc78f98e5b7733070f9678ab61d70910981d0858377971f93f61',
  },
  {
    sqlite: '8037d898609c650222d7e3fcb7fb9d1bd366c2edc5e79b9b0bc0b4d7ff531f61',
    postgres: '30f247043818d455bc925ac878208bbe734c56e5ffacb94dc552cc454d8be72c',
  },
  {
    sqlite: '67a083c22d04715436ebd03a2ba64c6dbf638036237368985848b7e8f193948c',
    postgres: '67a083c22d04715436ebd03a2ba64c6dbf638036237368985848b7e8f193948c',
  },
  {
    sqlite: '5f59d120e5a41b2cf2fbd2bf3e0dee4ed60b05dcf9e4eda214a4e59288eb0ab0',
    postgres: '5f59d120e5a41b2cf2fbd2bf3e0dee4ed60b05dcf9e4eda214a4e59288eb0ab0',
  },
  {
    sqlite: 'ea6fb7ecd873a25a0d0b7fab1f38152b8bc7677bf36d05638582b7dbea0a1d59',
    postgres: 'ea6fb7ecd873a25a0d0b7fab1f38152b8bc7677bf36d05638582b7dbea0a1d59',
  },
  {
    sqlite: 'f95f6dfec0b938cf72bddf71bdefcf987bcc284778746ae8301964bf55291ff7',
    postgres: '918284720edb4972835c070590810f05c9ac4ead531dd2715856a35cdf15befe',
  },
  {
    sqlite: '6d002c786d8d7cf6964fc9d7f9c3d58591cc64bc2466ab31851363343f686760',
    postgres: '6e249430e786e8df14e92995dfff29d37a269d164036c1318f9edd7b0d4f792e',
  },
  {
    sqlite: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    postgres: 'c8e45a9ac86677aca5e5db4ce29085a9e4b299c3f5b4a886576b9bae7a04e3ce',
  },
  {
    sqlite: 'b3e4db271e8da757f6f09dc91c2bb1c5c6ead961f779a12e3e37343f187fe3e7',
    postgres: '39023e2ad38c92c727def22130a2ab3c0395dfc9a56da70a448557130eda96ba',
  },
  {
    sqlite: 'f3643683fe6c0f8ea9e042ba270124bd42ef6cd553016e55f7526100cff4d472',
    postgres: '8ecd4bbb99d26fe3004552b8864135bd5e6494b09c8b7f2162e4f988d3e10054',
  },
  {
    sqlite: 'a642cbdf6bd45d7ac06c04ed8a25e3f358ad94dc71aaaee13ea82c4383a65e8f',
    postgres: 'a642cbdf6bd45d7ac06c04ed8a25e3f358ad94dc71aaaee13ea82c4383a65e8f',
  },
  {
    sqlite: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    postgres: 'f14a2b4134c3a90c4f60d7f4f14c36378a84d28e58a9b0dc7e8d0c50a1daca4c',
  },
  {
    sqlite: 'f02b7a136a003d20d073bb0512bfaa878bcd6d0f8cf1c766c6c1200d187900b8',
    postgres: 'f02b7a136a003d20d073bb0512bfaa878bcd6d0f8cf1c766c6c1200d187900b8',
  },
];

const checksum = (migration: Migration, dialect: Dialect): string =>
  createHash('sha256')
    .update(renderMigration(migration, dialect, NOW_MS).join(';\n'))
    .digest('hex');

describe('migrations', () => {
  it('have not changed since their release', () => {
    assert.deepEqual(
      MIGRATIONS.map((migration) => ({
        sqlite: checksum(migration, SQLITE_DIALECT),
        postgres: checksum(migration, POSTGRES_DIALECT),
      })),
      CHECKSUMS,
    );
  });

  it('are rendered without an unreplaced placeholder', () => {
    const rendered = MIGRATIONS.flatMap((statements) =>
      renderMigration(statements, POSTGRES_DIALECT, NOW_MS),
    );
    assert.deepEqual(
      rendered.filter((statement) => statement.includes('{{')),
      [],
    );
    assert.throws(() => renderMigration(['{{unknown}}'], SQLITE_DIALECT, NOW_MS), /\{\{unknown\}\}/);
  });
});
