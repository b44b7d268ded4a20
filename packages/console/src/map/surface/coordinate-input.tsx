interface Props {
  readonly label: string;
  readonly value: number;
  /** The largest latitude or longitude, to the south and west as well. */
  readonly max: number;
  /** Called only with numbers in the range. */
  readonly onChange: (value: number) => void;
}

export const CoordinateInput = ({ label, value, max, onChange }: Props) => (
  <input
    type="number"
    step="any"
    aria-label={label}
    min={-max}
    max={max}
    required
    value={value}
    onChange={({ currentTarget: { valueAsNumber: number } }) => {
      if (Math.abs(number) <= max) onChange(number);
    }}
  />
);
