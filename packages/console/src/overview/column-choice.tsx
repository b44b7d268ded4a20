import { useConsole } from '../context/console.ts';
import { Dialog, DialogButton } from '../kit/dialog.tsx';
import { CheckInput } from '../kit/inputs.tsx';
import { nameOfCode, texts } from '../texts.ts';
import { columnsOf, columnsText, TABLE_COLUMNS, type TableColumn } from './table-columns.ts';

export const columnTitle = (name: TableColumn): string => {
  const { overview, common } = texts.value;
  return nameOfCode({ ...common.sensors, ...overview.columns }, name);
};

/** Chooses the columns of the table; they are in the address, so that a saved view keeps them. */
export const ColumnChoice = () => (
  <DialogButton text={texts.value.overview.chooseColumns}>
    {(close) => <ColumnDialog onClose={close} />}
  </DialogButton>
);

function ColumnDialog({ onClose }: { readonly onClose: () => void }) {
  const { navigation } = useConsole();
  const shown = columnsOf(navigation.route.value.query);
  return (
    <Dialog title={texts.value.overview.chooseColumns} onClose={onClose}>
      {TABLE_COLUMNS.map((name) => (
        <CheckInput
          key={name}
          label={columnTitle(name)}
          value={shown.includes(name)}
          onValue={(isShown) => {
            const others = shown.filter((one) => one !== name);
            navigation.filter({ columns: columnsText(isShown ? [...others, name] : others) });
          }}
        />
      ))}
    </Dialog>
  );
}
